"""Experiments under gravity: heap, drum, hopper, silo."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from pysuite import measure, meshes, statistics
from pysuite.engine import Run
from pysuite.lab.experiment import (
    ANGLE,
    GRAVITY,
    LOOSE,
    REST,
    Experiment,
    Plan,
    distinct,
    estimate,
    option,
    periodic_width,
    remark_unknown,
    solid_volume,
)
from pysuite.lab.grading import Space
from pysuite.lab.settings import Key, Settings
from pysuite.statistics import Interval

PACKED = 0.58  # volume fraction of settled grains
FRAMES = 10  # number of frames that are averaged for the angle of a drum
G = Key("9.81 m/s²", "acceleration", "gravity; 1 in units lj")

WEIGHT = """\
fix             weight all gravity ${gravity} vector 0 0 -1
"""
# agitation: kinetic energy of all grains, divided by their weight times the median diameter
AT_REST = f"""\
variable        grain atom mass
compute         mass grains reduce sum v_grain
compute         motion grains ke
variable        agitation equal c_motion/(c_mass*v_gravity*v_d50)
variable        rest equal {REST}
"""
HEAP = (
    WEIGHT
    + AT_REST
    + """\
fix             floor grains wall/granular/plus ${contact} zplane 0 NULL
FLOOR# the cylinder is a region: its lower edge rises
variable        begin equal 1e300
variable        lift equal v_speed*(time-v_begin)*(time>v_begin)
region          cylinder cylinder z 0 0 ${radius} $(-v_d50) $(v_top+100*v_radius) open 1 open 2 &
                move NULL NULL v_lift units box
fix             cylinder grains wall/granular/plus ${wall} region cylinder

compute         centre grains com
thermo_style    custom step time v_agitation c_centre[3]
thermo_modify   norm no lost ignore
thermo          2000

# grains settle
run             $(round(v_falling/dt))
fix             end all halt 200 v_agitation < ${rest} error continue message no
run             $(round(4*v_falling/dt))
unfix           end

# the cylinder rises by the pile's height (twice that of its centre of mass), then keeps rising
variable        pile equal $(c_centre[3]-v_floor:%.17g)
variable        begin equal $(time:%.17g)
run             $(round(2*v_pile/v_speed/dt))
fix             end all halt 200 v_agitation < ${rest} error continue message no
run             $(round(v_longest/dt))
# a run that fix halt ends writes no last line of output: write it here
run             0
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
"""
)
ROUGH = """\
# half-sunken grains are glued to a plate; grains that leave it are deleted
group           glued type 2
neigh_modify    exclude group glued glued
fix             glued glued freeze
region          off cylinder z 0 0 ${rough} INF INF side out units box
fix             off grains evaporate 500 100000 off 4711
"""
DRUM = (
    WEIGHT
    + """\
# a region that rotates about the y axis, along which the box is periodic
variable        angle equal v_turning*time
region          drum cylinder y 0 0 ${radius} INF INF rotate v_angle 0 0 0 0 1 0 units box
fix             drum all wall/granular/plus ${wall} region drum

compute         centre all com
# the drum carries its lowest grains towards -x
variable        slope equal atan2(-c_centre[1],-c_centre[3])*180/PI
thermo_style    custom step time ke v_slope
thermo_modify   norm no
thermo          2000

# the flow becomes steady in the first half; the second half is measured
variable        half equal round(PI*v_turns/v_turning/dt)
run             ${half}
variable        every equal floor(v_half/FRAMES)
dump            frames all custom ${every} frames.dump id type x y z radius vx vy vz
dump_modify     frames sort id first no
run             ${half}
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
"""
).replace("FRAMES", str(FRAMES))
OUTFLOW = (
    WEIGHT
    + AT_REST
    + """\
fix             bin all wall/granular/plus ${wall} zcylinder $(v_bin/2)
fix             floor all wall/granular/plus ${wall} zplane 0 NULL
CONE
region          above block INF INF INF INF 0 INF units box
compute         left all reduce/region above sum v_grain
variable        left equal c_left
thermo_style    custom step time c_left v_agitation
thermo_modify   norm no lost ignore
thermo          ${every}

# grains settle on a floor without a hole
run             $(round(v_falling/dt))
fix             end all halt 200 v_agitation < ${rest} error continue message no
run             $(round(4*v_falling/dt))
unfix           end

unfix           floor
FLOOR# grains below the hole leave the box and are lost
variable        enough equal $(c_mass*v_remaining:%.17g)
fix             emptied all halt 100 v_left < ${enough} error continue message no
run             $(round(3*sqrt(v_d50/v_gravity)/dt))
fix             arched all halt 100 v_agitation < ${rest} error continue message no
run             $(round(v_longest/dt))
# a run that fix halt ends writes no last line of output: write it here
run             0
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
"""
)
HOPPER = OUTFLOW.replace("CONE", "").replace(
    "FLOOR",
    """\
# the floor with its hole, a mesh
fix             floor all wall/granular/plus ${wall} mesh floor.stl scale $(v_hole/2)
""",
)
SILO = OUTFLOW.replace("FLOOR", "").replace(
    "CONE",
    """\
# a mesh, whose outlet is at z = 0
fix             cone all wall/granular/plus ${wall} mesh cone.stl scale $(v_hole/2)
""",
)
# Beverloo's law for spheres above a flat bottom
BEVERLOO_C, BEVERLOO_K = 0.58, 1.4


def fall_time(height: float, gravity: float) -> float:
    """Return the time in which a column collapses."""
    return 1.5 * math.sqrt(2.0 * height / gravity)


def loose_height(settings: Settings, count: int, radius: float) -> float:
    """Return the height of a cylinder with room for grains at random positions."""
    largest = settings.grains.grading.largest
    solid = solid_volume(settings, count) + math.pi / 6.0 * largest**3
    area = math.pi * (radius - 0.5 * largest) ** 2
    return min(largest + solid / LOOSE / area, 1.6 * largest * count)


class Heap(Experiment):
    """A heap left on a floor by a lifted cylinder."""

    name = "heap"
    title = "A cylinder full of grains is lifted off a floor and leaves a heap."
    main = "angle"
    shapes = False
    keys: ClassVar = {
        "radius": Key(
            "so that the pile inside is half as high as wide", "length", "radius of the cylinder"
        ),
        "speed": Key("0.3 √(g d50)", "velocity", "speed of the lifted cylinder"),
        "rough": Key(
            0.0, "length", "radius of a plate of glued grains; 0 for a smooth floor", strict=False
        ),
        "gravity": G,
        "longest": Key("60 √(d50/g)", "time", "longest time to come to rest after the lift"),
    }
    units: ClassVar = {
        "angle": (ANGLE, "angle of repose, from a line through the free surface"),
        "cone": (ANGLE, "slope of the cone that the centres of the grains fill"),
        "height": ("length", "height of the heap"),
    }
    axes = (("distance from the axis", "length"), ("height of the surface", "length"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        grains = settings.grains
        count = grains.count or 0
        d = grains.grading.median
        g = option(settings, "gravity", GRAVITY[settings.units])
        bulk = solid_volume(settings, count) / PACKED
        largest = grains.grading.largest
        radius = option(settings, "radius", max((bulk / math.pi) ** (1.0 / 3.0), largest))
        speed = option(settings, "speed", 0.3 * math.sqrt(g * d))
        longest = option(settings, "longest", 60.0 * math.sqrt(d / g))
        inner = radius - 0.01 * d
        if not 2.0 * inner > largest:
            raise ValueError(
                f"radius = {radius:g} must be > half the largest diameter, which is {largest:g}"
            )
        height = loose_height(settings, count, inner)
        wide = radius + 2.0 * bulk / (math.pi * radius**2) + 10.0 * d
        rough = option(settings, "rough", 0.0)
        low = 0.5 * d if rough else 0.0
        height += low
        top = height + 2.0 * d

        def glued(random: np.random.Generator) -> NDArray[np.float64]:
            count = math.ceil(rough / d)
            place = np.arange(-count, count + 1) * d
            x, y = (array.ravel() for array in np.meshgrid(place, place))
            shift = random.uniform(-0.2 * d, 0.2 * d, (2, len(x)))
            rows = np.zeros((len(x), 5))
            rows[:, 0], rows[:, 1] = 2, d
            rows[:, 2], rows[:, 3] = x + shift[0], y + shift[1]
            return rows[np.hypot(x, y) <= rough]

        if rough and rough < radius:
            raise ValueError(f"rough = {rough:g} must be 0, or >= radius = {radius:g}")
        wide = max(wide, rough + d)
        plate = {"rough": (rough, "radius of the plate")} if rough else {}
        return Plan(
            {
                "d50": (d, "median diameter by mass"),
                "gravity": (g, "acceleration"),
                "radius": (radius, "radius of the cylinder"),
                "floor": (low, "height of the glued grains"),
                **plate,
                "speed": (speed, "speed of the lifted cylinder"),
                "top": (top, "top of the space above the floor"),
                "falling": (fall_time(height, g), "time for the grains to fall"),
                "longest": (longest, "longest time to come to rest after the lift"),
            },
            Space((-inner, -inner, low), (inner, inner, height), axis=2),
            count,
            (-wide, -wide, -d),
            (wide, wide, top),
            HEAP.replace("FLOOR", ROUGH if rough else ""),
            speed=math.sqrt(2.0 * g * height),
            plates=glued if rough else None,
        )

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return slope angle with error, angle of the equivalent cone, and height of the heap.

        The value "rest" is 1 if the grains have come to rest, and 0 otherwise.
        """
        heap = self._grains(run, plan)
        angle = fit = math.nan
        try:
            found = measure.heap_angle(heap, plan["d50"])
            angle, fit = found.value, 0.5 * (found.high - found.low)
        except ValueError:
            pass
        x, y, z, radius = (heap[name].to_numpy() for name in ("x", "y", "z", "radius"))
        weight = radius**3
        middle = [np.average(values, weights=weight) for values in (x, y)]
        away = np.average(np.hypot(x - middle[0], y - middle[1]), weights=weight)
        # A cone's centroid is at a quarter of its height; the mean distance of its mass from the
        # axis is half the radius. The centre of a grain on the floor is one radius above the floor.
        rise = np.average(z - radius, weights=weight)
        return {
            "angle": angle,
            "angle_fit": fit,
            "cone": math.degrees(math.atan(2.0 * rise / away)),
            "height": float((z + radius).max()),
            "rest": float(run.thermo["v_agitation"].iloc[-1] < 10.0 * REST),
        }

    @staticmethod
    def _grains(run: Run, plan: Plan) -> pd.DataFrame:
        """Return the free grains, with heights measured from the glued grains."""
        end = run.dump("end.dump")
        heap = end[end["type"] == 1].copy()
        heap["z"] -= plan["floor"]
        return heap

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return the surface, averaged over rings that are one grain wide."""
        surface = measure.heap_surface(self._grains(run, plan), plan["d50"])
        ring = np.floor(surface["place"] / plan["d50"])
        mean = surface.groupby(ring)[["place", "height"]].mean()
        return mean.rename(columns={"place": "x", "height": "y"})

    def conclude(self, table: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
        """Return the means, and add a remark if heaps are too low for an angle."""
        remark_unknown(
            table["angle"],
            plan,
            "angle",
            "the heap is so low that no surface remains for the fit, which leaves out the lowest"
            " and the highest part of the heap; use more grains",
        )
        return super().conclude(table, plan)


class Drum(Experiment):
    """A slowly rotating drum, periodic along its axis."""

    name = "drum"
    title = "Grains in a rotating drum: dynamic angle of the surface."
    main = "angle"
    shapes = False
    counted = False
    boundary = "f p f"
    keys: ClassVar = {
        "radius": Key("10 d50", "length", "radius of the drum"),
        "length": Key("5 d50", "length", "length of the periodic piece along the axis"),
        "fill": Key(0.45, "1", "fraction of the drum filled by the settled grains", 0.0, True, 0.5),
        "froude": Key(0.01, "1", "squared wall speed / (gravity × radius)"),
        "turns": Key(0.6, "1", "revolutions; the second half is measured"),
        "gravity": G,
    }
    units: ClassVar = {
        "angle": (ANGLE, "dynamic angle, from a line through the middle of the surface"),
        "centre": (ANGLE, "angle of the centre of mass from the vertical"),
    }
    axes = (("distance across the axis", "length"), ("height of the surface", "length"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        grading = settings.grains.grading
        d = grading.median
        g = option(settings, "gravity", GRAVITY[settings.units])
        radius = option(settings, "radius", 10.0 * d)
        length = option(settings, "length", max(5.0 * d, 2.2 * grading.largest))
        periodic_width("length", length, settings)
        turning = math.sqrt(option(settings, "froude", 0.01) * g / radius)
        bulk = option(settings, "fill", 0.45) * math.pi * radius**2 * length
        count = max(2, round(bulk * PACKED / grading.mean_volume()))
        wide = radius + d
        inner = radius - 0.01 * d
        return Plan(
            {
                "d50": (d, "median diameter by mass"),
                "gravity": (g, "acceleration"),
                "radius": (radius, "radius of the drum"),
                "turning": (turning, "angular velocity"),
                "turns": (option(settings, "turns", 0.6), "revolutions"),
            },
            Space((-inner, 0.0, -inner), (inner, length, inner), 1, (False, True, False)),
            count,
            (-wide, 0.0, -wide),
            (wide, length, wide),
            DRUM,
            speed=math.sqrt(4.0 * g * radius) + turning * radius,
        )

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return the mean angles of surface and centre of mass in the second half of the run."""
        frames = run.dump("frames.dump")
        angles = [self._angle(frame, plan) for _, frame in frames.groupby("step")]
        thermo = run.thermo
        late = thermo[thermo["run"] == thermo["run"].max()]
        return {"angle": float(np.mean(angles)), "centre": float(late["v_slope"].mean())}

    @staticmethod
    def _profile(frame: pd.DataFrame, plan: Plan) -> pd.DataFrame:
        half = 0.6 * plan["radius"]
        edges = np.arange(-half, half + plan["d50"], plan["d50"])
        return measure.surface(frame, edges, frame["x"]).dropna()

    def _angle(self, frame: pd.DataFrame, plan: Plan) -> float:
        profile = self._profile(frame, plan)
        found = statistics.slope(profile["place"], profile["height"], statistics.SINGLE_LEVEL)
        return -math.degrees(math.atan(found.value))  # the wall carries grains towards -x

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return the profile of the surface, averaged over the second half of the run."""
        frames = run.dump("frames.dump")
        profiles = [self._profile(frame, plan) for _, frame in frames.groupby("step")]
        mean = pd.concat(profiles).groupby("place")["height"].mean().reset_index()
        return mean.rename(columns={"place": "x", "height": "y"})


class Hopper(Experiment):
    """A flat-bottomed bin with a round hole."""

    name = "hopper"
    title = "Grains flow out of a flat-bottomed bin through a round hole."
    main = "rate"
    shapes = False
    keys: ClassVar = {
        "hole": Key(
            "5 d50", "length", "diameter of the hole; for a Beverloo fit, a list", several=True
        ),
        "bin": Key(
            "so that the bed is 1.2 times as high as wide, but >= 2 holes and >= 2 largest grains",
            "length",
            "diameter of the bin",
        ),
        "remaining": Key(
            0.4, "1", "a run ends if this fraction of the mass is left in the bin", 0.0, True, 0.9
        ),
        "gravity": G,
    }
    units: ClassVar = {
        "rate": ("mass/time", "mass flow rate"),
        "arching": ("1", "probability that an arch stops the flow before the run ends"),
        "over_beverloo": ("1", "rate / rate by Beverloo's law with C = 0.58 and k = 1.4"),
        "beverloo_c": ("1", "C of Beverloo's law C ρ_b √g (D − k d50)^(5/2)"),
        "beverloo_k": ("1", "k of Beverloo's law"),
        "exponent": ("1", "best-fit exponent of (D − k d50), with k free"),
    }
    each = ("rate", "arching", "over_beverloo")
    together: ClassVar = {"beverloo_c": 3, "beverloo_k": 3, "exponent": 4}
    axes = (("time", "time"), ("mass in the bin", "mass"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        return self._plan(settings, HOPPER, 0.0)

    @staticmethod
    def _plan(settings: Settings, body: str, steepness: float) -> Plan:
        """Return the plan for a cone that rises outwards with slope `steepness` (0 for a floor)."""
        grains = settings.grains
        count = grains.count or 0
        d = grains.grading.median
        g = option(settings, "gravity", GRAVITY[settings.units])
        holes = distinct("hole", settings.options["hole"] or [5.0 * d])
        bulk_volume = solid_volume(settings, count) / PACKED
        largest = grains.grading.largest
        wanted = (bulk_volume / (0.3 * math.pi)) ** (1.0 / 3.0)
        wanted = max(wanted, 2.0 * max(holes), 2.0 * largest)
        bin_ = option(settings, "bin", wanted)
        if not bin_ > max(holes):
            raise ValueError(f"bin = {bin_:g} must be > hole = {max(holes):g}")
        inner = 0.5 * bin_ - 0.01 * d
        if not 2.0 * inner > largest:
            raise ValueError(f"bin = {bin_:g} must be > largest grain = {largest:g}")
        cone = 0.5 * (bin_ - min(holes)) * steepness
        height = cone + loose_height(settings, count, inner)
        bulk = settings.grains.density * PACKED
        slowest = 0.5 * bulk * math.sqrt(g) * max(min(holes) - 1.4 * d, 0.3 * d) ** 2.5
        longest = 3.0 * settings.grains.density * solid_volume(settings, count) / slowest
        wide = 0.5 * bin_ + d
        remarks = [
            f"hole = {hole:g} is smaller than the largest grain, {largest:g}, which blocks the"
            " hole: use a wider hole or smaller grains"
            for hole in holes
            if hole < largest
        ]
        frustum = math.pi * cone / 12.0 * (bin_**2 + bin_ * min(holes) + min(holes) ** 2)
        pile = cone + (bulk_volume - frustum) / (math.pi * inner**2)
        if pile < bin_:
            remarks.append(
                f"the pile is only {min(pile / bin_, 0.999):.3g} times as high as the bin is wide:"
                " below 1, the rate may depend on the height; use more grains or a narrower bin"
            )
        outer = bin_ / min(holes) + 0.5
        mesh = "cone.stl" if steepness else "floor.stl"
        return Plan(
            {
                "d50": (d, "median diameter by mass"),
                "gravity": (g, "acceleration"),
                "hole": (holes[0], "diameter of the hole"),
                "bin": (bin_, "diameter of the bin"),
                "remaining": (
                    option(settings, "remaining", 0.4),
                    "mass at the end / initial mass",
                ),
                "falling": (fall_time(height, g), "time for the grains to fall"),
                "longest": (longest, "longest time of the flow"),
                "bulk_density": (bulk, "approximate density of a settled bed, for Beverloo's law"),
                "every": (0.0, "time steps between lines of output"),
            },
            Space((-inner, -inner, cone), (inner, inner, height), axis=2),
            count,
            (-wide, -wide, -4.0 * d),
            (wide, wide, height + 2.0 * d),
            body,
            speed=math.sqrt(2.0 * g * height),
            sweep={"hole": holes},
            files={mesh: lambda path: write_floor(path, outer, steepness)},
            remarks=remarks,
        )

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return the mean rate after a fifth of the outflow, and whether an arch ended the flow."""
        flow = self._flow(run)
        time, left = flow["Time"].to_numpy(), flow["c_left"].to_numpy()
        full = left[0]
        emptied = left[-1] <= full * (plan["remaining"] + 1e-6)  # masses in the log are rounded
        # if grains still move at the time limit, no arch has stopped the flow
        arched = not emptied and flow["v_agitation"].iloc[-1] < 10.0 * REST
        out = 1.0 - left / full
        steady = out >= 0.2 * out[-1]
        rate = float("nan")
        if not arched and steady.sum() > 2:
            rate = float(-(left[-1] - left[steady][0]) / (time[-1] - time[steady][0]))
        return {"rate": rate, "arched": float(arched), "out": float(out[-1])}

    @staticmethod
    def _flow(run: Run) -> pd.DataFrame:
        """Return the thermo output of the last three runs: start, flow, end."""
        thermo = run.thermo
        flow = thermo[thermo["run"] > thermo["run"].max() - 3]
        return flow.drop_duplicates("Step").reset_index(drop=True)

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return the remaining mass against time."""
        flow = self._flow(run)
        return pd.DataFrame({"x": flow["Time"], "y": flow["c_left"]})

    def conclude(self, table: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
        """Return rate and arching of each hole; for three or more holes, fit Beverloo's law."""
        found: dict[str, Interval] = {}
        several = table["hole"].nunique() > 1
        for hole, rows in table.groupby("hole"):
            name = f" ({hole:g})" if several else ""
            if rows["rate"].notna().any():
                rate = estimate(rows["rate"].dropna())
                found[f"rate{name}"] = rate
                found |= compared(f"over_beverloo{name}", rate, float(rows["hole"].iloc[0]), plan)
            found[f"arching{name}"] = statistics.fraction(
                int(rows["arched"].sum()), len(rows), statistics.SINGLE_LEVEL
            )
        flowing = table.dropna(subset=["rate"])
        if flowing["hole"].nunique() >= 3:
            found |= beverloo(flowing, plan)
        return found


class Silo(Hopper):
    """A bin that ends in a cone with a round outlet."""

    name = "silo"
    title = "Grains flow out of a silo with a conical hopper."
    keys: ClassVar = {
        **Hopper.keys,
        "angle": Key(30.0, ANGLE, "angle of the cone's wall from the vertical", high=80.0),
    }

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        angle = math.radians(option(settings, "angle", 30.0))
        return self._plan(settings, SILO, 1.0 / math.tan(angle))


def compared(name: str, rate: Interval, hole: float, plan: Plan) -> dict[str, Interval]:
    """Return the ratio of a rate to Beverloo's law, or {} if the law predicts no flow."""
    free = hole - BEVERLOO_K * plan["d50"]
    if free <= 0.0:
        return {}
    law = BEVERLOO_C * plan["bulk_density"] * math.sqrt(plan["gravity"]) * free**2.5
    return {name: rate.mapped(lambda value: value / law)}


def beverloo(flowing: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
    """Return C and k of Beverloo's law, and the exponent that fits best if k is free.

    In Beverloo's law, rate^(2/5) is linear in the diameter of the hole. The bulk density is
    computed for a settled bed with the volume fraction PACKED.
    """
    hole = flowing["hole"].to_numpy() / plan["d50"]
    rate = flowing["rate"].to_numpy()
    root = rate**0.4
    line = statistics.slope(hole, root, statistics.SINGLE_LEVEL)
    unit = plan["bulk_density"] * math.sqrt(plan["gravity"]) * plan["d50"] ** 2.5
    found = {
        "beverloo_c": line.mapped(lambda slope: max(slope, 0.0) ** 2.5 / unit),
        "beverloo_k": zero(hole, root),
    }
    if flowing["hole"].nunique() >= 4:

        def law(log_hole: Any, amplitude: float, k: float, exponent: float) -> Any:
            return amplitude + exponent * np.log(np.maximum(np.exp(log_hole) - k, 1e-6))

        first = (math.log(line.value) * 2.5 if line.value > 0 else 0.0, found["beverloo_k"].value,
                 2.5)  # fmt: skip
        try:
            best, covariance = optimize.curve_fit(law, np.log(hole), np.log(rate), first)
        except RuntimeError:
            return found
        error = student(len(hole) - 3) * math.sqrt(covariance[2, 2])
        found["exponent"] = Interval(
            best[2], best[2] - error, best[2] + error, f"95 % from a fit to {len(hole)} runs"
        )
    return found


def student(freedom: int) -> float:
    """Return half the width of the 95 % interval in standard errors."""
    return float(stats.t.ppf(0.5 + 0.5 * statistics.SINGLE_LEVEL, freedom))


def zero(x: NDArray[np.float64], y: NDArray[np.float64]) -> Interval:
    """Return the zero of a straight line through independent points, by Fieller's theorem.

    The interval is infinite if the slope does not differ significantly from 0.
    """
    line = stats.linregress(x, y)
    found = float(-line.intercept / line.slope)
    how = f"95 % from {len(x)} points"
    middle, away = float(np.mean(x)), found - float(np.mean(x))
    # The interval ends at the distances u from the mean of x at which
    # (slope (u - away))^2 = square (height + stderr^2 u^2).
    square = student(len(x) - 2) ** 2
    height = line.stderr**2 * float(np.var(x))  # variance of the line at the mean of x
    leading = line.slope**2 - square * line.stderr**2
    if leading <= 0.0:
        return Interval(found, -math.inf, math.inf, how)
    centre = line.slope**2 * away
    root = math.sqrt(max(centre**2 - leading * (centre * away - square * height), 0.0))
    low, high = (middle + (centre + sign * root) / leading for sign in (-1.0, 1.0))
    return Interval(found, min(low, found), max(high, found), how)


def write_floor(path: Path, outer: float, steepness: float = 0.0, sectors: int = 48) -> None:
    """Write a mesh of a ring around a hole at z = 0.

    The hole has the area of a circle of radius 1. The ring extends to the radius `outer` and rises
    outwards with slope `steepness`.
    """
    angle = np.linspace(0.0, 2.0 * math.pi, sectors, endpoint=False)
    corner = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)
    inner = math.sqrt(2.0 * math.pi / (sectors * math.sin(2.0 * math.pi / sectors)))
    near, far = inner * corner, outer * corner
    far[:, 2] = steepness * (outer - inner)
    after = np.roll(np.arange(sectors), -1)
    triangles = np.concatenate(
        [
            np.stack([near, far, far[after]], axis=1),
            np.stack([near, far[after], near[after]], axis=1),
        ]
    )
    meshes.write_stl(path, triangles)
