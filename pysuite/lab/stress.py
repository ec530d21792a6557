"""Experiments under stress, without gravity: shear, triaxial, oedometer, packing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize

from pysuite import measure, statistics
from pysuite.engine import Run
from pysuite.lab.experiment import (
    ANGLE,
    Experiment,
    Plan,
    distinct,
    estimate,
    option,
    periodic_width,
    remark_unknown,
    room,
    solid_volume,
)
from pysuite.lab.grading import Space
from pysuite.lab.settings import Key, Settings
from pysuite.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PRESSURE = Key(None, "pressure", "constant stress along x and y")
INERTIAL = Key(0.002, "1", "inertial number: strain rate × d50 √(density/stress); small means slow")
LINES = 200  # lines of output per stage
FINE = 2000  # lines of a triaxial test, for stiffness at small strain

PRESSED = """\
# compressive stresses along x, y, z and their mean, from contacts
compute         stress all pressure NULL pair
variable        mean equal c_stress
variable        grain atom mass
compute         mass all reduce sum v_grain
compute         motion all ke
variable        fraction equal c_mass/v_density/vol
# kinetic energy / (pressure * volume)
variable        agitation equal c_motion/(v_pressure*vol)
compute         contacts all contact/atom
compute         coordination all reduce ave c_contacts
thermo_style    custom step time v_fraction v_mean v_agitation c_coordination
thermo_modify   norm no
thermo          2000

# fast compression from a gas to a volume fraction of one half
run             0 post no
variable        side equal $((c_mass/v_density/0.5)^(1/3):%.17g)
fix             shrink all deform 1 x final 0 ${side} y final 0 ${side} z final 0 ${side} remap x
run             $(round(5*v_unit/dt)) post no
unfix           shrink
"""
PRESS = """\

# The box shrinks and grows isotropically until the grains rest at the given stress. Without stress
# the volume shrinks at the rate v_rate.
fix             press all press/berendsen iso ${pressure} ${pressure} $(1/v_rate) &
                modulus ${pressure}
run             $(round(0.3/v_rate/dt)) post no
variable        made equal (abs(v_mean-v_pressure)<0.005*v_pressure)*(v_agitation<1e-7)
fix             end all halt 100 v_made > 0.5 error continue message no
run             $(round(2/v_rate/dt))
unfix           end
"""
CONTACTS = """
compute         pairs all property/local patom1 patom2 cutoff radius
compute         force all pair/local force cutoff radius
thermo          1
run             1
write_dump      all local contacts.dump index c_pairs[1] c_pairs[2] c_force
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
write_data      packing.data nocoeff
"""
PACKING = PRESSED + PRESS + CONTACTS
FILLED = (
    PRESSED
    + """\

# The box shrinks to the given volume fraction; the pressure at rest is the result.
variable        side equal $((c_mass/v_density/v_wanted)^(1/3):%.17g)
fix             shrink all deform 1 x final 0 ${side} y final 0 ${side} z final 0 ${side} remap x
run             $(round(ln(v_wanted/0.5)/v_rate/dt)+1)
unfix           shrink
fix             end all halt 100 v_agitation < 1e-7 error continue message no
run             $(round(0.5/v_rate/dt))
unfix           end
"""
    + CONTACTS
)
COMPRESSION = """\
pair_coeff      * * ${contact}
variable        height equal $(lz:%.17g)
variable        before equal $(vol:%.17g)
variable        strain equal 1-lz/v_height
variable        volumetric equal 1-vol/v_before
# The grains move with the box, so that contacts deform with it; with remap x they would not.
# z shortens at a constant rate. x and y change at a rate controlled by the excess stress,
# averaged over 10 steps, and its integral over 400; grains accelerate as that rate changes.
velocity        all ramp vz $(0.5*v_axial_rate*lz) $(-0.5*v_axial_rate*lz) z $(zlo) $(zhi) sum yes &
                units box
variable        control equal $(v_unit^2/(15*dt))
variable        excess equal 0.5*(c_stress[1]+c_stress[2])/v_pressure-1
variable        so_far equal f_lateral[3]+v_excess/400
variable        change equal ((v_excess+f_lateral[3])/v_control-f_lateral[1])/10
variable        lateral_rate equal f_lateral[1]+v_change
fix             lateral all ave/time 1 1 1 v_lateral_rate v_change v_so_far
variable        to_x equal lx-$(lx:%.17g)+v_speed_x*dt
variable        to_y equal ly-$(ly:%.17g)+v_speed_y*dt
variable        speed_x equal f_lateral[1]*lx
variable        speed_y equal f_lateral[1]*ly
fix             squeeze all deform 1 z erate $(-v_axial_rate) x variable v_to_x v_speed_x &
                y variable v_to_y v_speed_y remap v
variable        acceleration equal f_lateral[2]/dt
variable        push_x atom mass*v_acceleration*(x-0.5*(xlo+xhi))
variable        push_y atom mass*v_acceleration*(y-0.5*(ylo+yhi))
fix             follow all addforce v_push_x v_push_y 0
variable        steps equal round(v_largest/v_axial_rate/dt)
variable        every equal 10*ceil(v_steps/LINES/10)
fix             line all ave/time 10 $(v_every/10) ${every} c_stress[1] c_stress[2] c_stress[3] &
                v_strain
thermo_style    custom step time v_strain v_volumetric f_line[1] f_line[2] f_line[3] f_line[4] &
                v_fraction c_coordination
thermo_modify   norm no
thermo          ${every}
run             ${steps}
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
""".replace("LINES", str(FINE))
TRIAXIAL = PRESSED + PRESS + "unfix           press\n\n" + COMPRESSION
SHEAR = """\
# plates of grains: the lower one is fixed, the upper one moves as a whole
group           bottom type 2
group           top type 3
group           plates type 2 3
neigh_modify    exclude group plates plates
fix             hold bottom freeze
variable        area equal lx*ly
fix             load top aveforce NULL NULL $(-v_stress*v_area/count(top))
fix             guide top setforce 0 0 NULL
fix             rise top nve
velocity        plates set 0 0 0

variable        grain atom mass
compute         mass grains reduce sum v_grain
compute         height top reduce ave z
variable        fraction equal c_mass/v_density/(v_area*(c_height-v_d50))
thermo_style    custom step time c_height v_fraction
thermo_modify   norm no
thermo          2000

# the plate descends at a limited speed and compresses the grains until they rest
fix             drag top viscous $(v_stress*v_area/count(top)/v_falling)
run             $(round(v_pressing/dt))
unfix           drag

# then the plate is driven; strain is its displacement / present height of the sample
variable        thick equal $(c_height-v_d50:%.17g)
variable        speed equal $(v_rate*v_thick:%.17g)
variable        start equal $(time:%.17g)
velocity        top set ${speed} NULL NULL
variable        strain equal (time-v_start)*v_rate
variable        tau equal f_hold[1]/v_area
variable        sigma equal -f_hold[3]/v_area
variable        steps equal round(v_largest/v_rate/dt)
variable        every equal 10*ceil(v_steps/LINES/10)
fix             line all ave/time 10 $(v_every/10) ${every} v_tau v_sigma v_fraction
thermo_style    custom step time v_strain f_line[1] f_line[2] f_line[3]
thermo_modify   norm no
thermo          ${every}
run             ${steps}
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
""".replace("LINES", str(LINES))
OEDOMETER = """\
# The sides are periodic. The piston moves under a stress that is first constant, then grows by
# equal factors, and falls again; drag limits its speed.
variable        area equal lx*ly
variable        up equal (time-v_rest)/v_ramp*(time>v_rest)*(time<=v_rest+v_ramp)
variable        down equal (2-(time-v_rest)/v_ramp)*(time>v_rest+v_ramp)
variable        stress equal v_first*(v_last/v_first)^(v_up+v_down)
variable        push equal -v_stress*v_area
fix             base all wall/granular/plus ${wall} zplane 0 NULL
fix             piston all wall/granular/plus ${wall} zplane NULL ${top} &
                load z v_push mass $(v_density*v_area*v_d50) drag $(v_first*v_area/v_falling)

variable        grain atom mass
compute         mass all reduce sum v_grain
variable        height equal v_top+f_piston[11]
variable        fraction equal c_mass/v_density/(v_area*v_height)
# stress on the grains, mean of both sides
variable        axial equal 0.5*(f_piston[3]-f_base[3])/v_area
thermo_style    custom step time v_height v_axial v_stress v_fraction
thermo_modify   norm no
variable        lines equal 10*ceil(v_ramp/dt/LINES/10)
fix             line all ave/time 10 $(v_lines/10) ${lines} v_height v_axial v_fraction v_stress
thermo          ${lines}
run             $(round(v_rest/dt)) post no
thermo_style    custom step time f_line[1] f_line[2] f_line[3] f_line[4]
thermo_modify   norm no
run             $(round(2*v_ramp/dt))
write_dump      all custom end.dump id type x y z radius vx vy vz modify sort id
""".replace("LINES", str(LINES))


def averaged(thermo: pd.DataFrame) -> pd.DataFrame:
    """Return the thermo lines from the first line that contains a mean of fix ave/time."""
    return thermo[thermo["f_line[2]"] != 0.0]


def secant_modulus(strain: NDArray[np.float64], stress: NDArray[np.float64], at: float) -> float:
    """Return stress / strain at a given stress, interpolated between block means.

    The strain is read from the monotonic curve closest to the block means, because a single mean
    may exceed the stress by chance. The result is nan if one of the first two blocks reaches the
    stress.
    """
    rising = optimize.isotonic_regression(stress[: int(np.argmax(stress)) + 1]).x
    after = int(np.searchsorted(rising, at))
    if after < 2:
        return float("nan")
    part = (at - rising[after - 1]) / (rising[after] - rising[after - 1])
    return at / float(strain[after - 1] + part * (strain[after] - strain[after - 1]))


def reached(
    strain: NDArray[np.float64], stress: NDArray[np.float64], at: tuple[float, ...]
) -> NDArray[np.float64]:
    """Return the strains at which a parabola fitted to lines of output reaches given stresses.

    The result is nan for fewer than 4 lines.
    """
    if len(strain) < 4:
        return np.full(len(at), np.nan)
    curve, line = (np.polynomial.Polynomial.fit(strain, stress, degree) for degree in (2, 1))
    found = [
        min((curve - one).roots(), key=lambda root: abs(root - (line - one).roots()[0]))
        for one in at
    ]
    return np.real(found)


def left(strain: NDArray[np.float64], load: NDArray[np.float64], first: float) -> float:
    """Return the strain at stress `first`, extrapolated from the last five lines of output.

    Each line is a mean over an interval, so even the line that ends at `first` has a larger load.
    """
    return float(np.polyfit(np.log(load[-5:] / first), strain[-5:], 1)[1])


class Largest(NamedTuple):
    """The largest value of a noisy curve, and the range of its expected value.

    The largest value is biased upwards, because noise affects which value is the largest. If the
    data are divided into two halves, the value of one half where the other half is largest is
    biased downwards.
    """

    value: float
    least: float
    most: float

    def mapped(self, function: Callable[[float], float]) -> Largest:
        """Apply an increasing function."""
        return Largest(*map(function, self))

    def columns(self, name: str) -> dict[str, float]:
        """Return the columns that `bracketed` reads."""
        return {name: self.value, f"{name}_least": self.least, f"{name}_most": self.most}


def crossed(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the mean of `one` where `other` is largest, and of `other` where `one` is largest."""
    return 0.5 * float(one[np.argmax(other)] + other[np.argmax(one)])


def alternating(values: NDArray[np.float64], block: int) -> NDArray[np.float64]:
    """Return means over blocks of lines as an array of shape (2, n).

    The blocks belong alternately to the first and to the second row.
    """
    count = len(values) // (2 * block)
    return values[: 2 * block * count].reshape(count, 2, block).mean(axis=2).T


def largest_mean(values: NDArray[np.float64], lines: int) -> Largest:
    """Return the largest mean over a number of lines."""
    block = max(1, min(lines, len(values)) // 2)
    window = np.ones(min(2 * block, len(values)))
    first = np.arange(len(values)) // block % 2 == 0
    one, other = (
        np.convolve(values * part, window, mode="valid") / np.convolve(part, window, mode="valid")
        for part in (first, ~first)
    )
    least = crossed(*alternating(values, block))
    most = float(np.convolve(values, window / window.size, mode="valid").max())
    return Largest(crossed(one, other), least, most)


def largest_growth(strain: NDArray[np.float64], values: NDArray[np.float64], lines: int) -> Largest:
    """Return the largest growth per strain over `lines` lines, from blocks of `lines`/40 lines."""
    block = max(1, lines // 40)
    span = max(1, round(lines / (2 * block)))
    growth, way = (
        rows[:, span:] - rows[:, :-span]
        for rows in (alternating(values, block), alternating(strain, block))
    )
    found = crossed(*(growth / way))
    most = (values[lines:] - values[:-lines]) / (strain[lines:] - strain[:-lines])
    return Largest(found, found, float(most.max()))


def bracketed(table: pd.DataFrame, name: str) -> Interval:
    """Return the mean of a `Largest` over repetitions; the interval covers `least` and `most`."""
    value = estimate(table[name])
    low, high = estimate(table[f"{name}_least"]).low, estimate(table[f"{name}_most"]).high
    return Interval(
        value.value, min(low, value.value), max(high, value.value), f"{value.how}, and noise"
    )


def unit_time(settings: Settings, stress: float) -> float:
    """Return d50 √(density/stress), the time in which a stress moves a grain by one diameter."""
    return settings.grains.grading.median * math.sqrt(settings.grains.density / stress)


class Shear(Experiment):
    """A direct shear test between rough plates under constant normal stress."""

    name = "shear"
    title = "Grains between two rough plates are sheared under a constant normal stress."
    main = "friction_angle"
    boundary = "p p f"
    keys: ClassVar = {
        "stress": Key(None, "pressure", "normal stress; for a yield locus, a list", several=True),
        "width": Key("so that the sample is as high as wide", "length", "width of the plates"),
        "inertial": INERTIAL,
        "strain": Key(1.0, "1", "shear strain at the end; the second half is taken as steady"),
    }
    units: ClassVar = {
        "friction_angle": (ANGLE, "in steady shear: atan(shear stress / normal stress)"),
        "cohesion": ("pressure", "shear stress at normal stress 0, from the yield locus"),
        "peak_angle": (ANGLE, "atan(shear stress / normal stress) at the peak"),
        "fraction": ("1", "volume fraction in steady shear"),
    }
    each = ("friction_angle", "peak_angle", "fraction")
    together: ClassVar = {"friction_angle": 3, "cohesion": 3}
    axes = (("shear strain", "1"), ("shear stress / normal stress", "1"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        grains = settings.grains
        count = grains.count or 0
        d = grains.grading.median
        stresses = settings.options["stress"]
        if stresses is None:
            raise ValueError("stress is missing: give the normal stress, a number or a list")
        distinct("stress", stresses)
        solid = solid_volume(settings, count)
        width = option(settings, "width", (solid / 0.58) ** (1.0 / 3.0))
        across = max(3, round(width / d))
        side = periodic_width("width", across * d, settings)
        height = room(settings, count) / side**2
        gap = 0.6 * (d + grains.grading.largest)
        low, high = gap, gap + height

        def plates(random: np.random.Generator) -> NDArray[np.float64]:
            place = (np.arange(across) + 0.5) * d
            x, y = (array.ravel() for array in np.meshgrid(place, place))
            rows = []
            for kind, z in ((2, 0.0), (3, high + gap)):
                shift = random.uniform(-1.0, 1.0, (3, len(x))) * [[0.2 * d], [0.2 * d], [0.1 * d]]
                size = np.full(len(x), 1.2 * d)
                rows.append(
                    np.stack(
                        [np.full(len(x), kind), size, (x + shift[0]) % side, (y + shift[1]) % side,
                         z + shift[2]], axis=-1)
                )  # fmt: skip
            return np.concatenate(rows)

        inertial = option(settings, "inertial", 0.002)
        return Plan(
            {
                "d50": (d, "median diameter by mass"),
                "density": (grains.density, "of the grains"),
                "stress": (stresses[0], "normal stress"),
                "inertial": (inertial, "strain rate * d50 sqrt(density/stress)"),
                "unit": ("$(v_d50*sqrt(v_density/v_stress):%.17g)", "d50 sqrt(density/stress)"),
                "rate": ("$(v_inertial/v_unit:%.17g)", "shear strain rate"),
                "largest": (option(settings, "strain", 1.0), "shear strain at the end"),
                "falling": ("$(0.3*v_d50/v_unit:%.17g)", "falling speed of the plate"),
                "pressing": (
                    f"$(({2.0 * height / d / 0.3 + 10.0:.3g})*v_unit:%.17g)",
                    "time before shear",
                ),
            },
            Space((0.0, 0.0, low), (side, side, high), None, (True, True, False)),
            count,
            (0.0, 0.0, -2.0 * d),
            (side, side, high + gap + 2.0 * d),
            SHEAR,
            speed=0.3 * math.sqrt(max(stresses) / grains.density),
            pressure=max(stresses),
            sweep={"stress": stresses},
            plates=plates,
        )

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return the peak angle, and stresses, friction angle and fraction in steady shear."""
        strain, tau, sigma, fraction = self._series(run)
        ratio = tau / sigma
        late = strain >= 0.5 * strain[-1]
        lines = max(1, round(0.05 / (strain[-1] / len(strain))))
        steady = float(tau[late].mean() / sigma[late].mean())
        return {
            "shear_stress": float(tau[late].mean()),
            "normal_stress": float(sigma[late].mean()),
            "friction_angle": math.degrees(math.atan(steady)),
            **largest_mean(ratio, lines)
            .mapped(lambda value: math.degrees(math.atan(value)))
            .columns("peak_angle"),
            "fraction": float(fraction[late].mean()),
        }

    @staticmethod
    def _series(run: Run) -> tuple[NDArray[np.float64], ...]:
        thermo = run.thermo
        last = averaged(thermo[thermo["run"] == thermo["run"].max()])
        names = ("v_strain", "f_line[1]", "f_line[2]", "f_line[3]")
        return tuple(last[name].to_numpy() for name in names)

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return the stress ratio as a function of strain."""
        strain, tau, sigma, _ = self._series(run)
        return pd.DataFrame({"x": strain, "y": tau / sigma})

    def conclude(self, table: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
        """Return the values at each stress and, for several stresses, the yield locus."""
        several = table["stress"].nunique() > 1
        found = yield_locus(table) if several and len(table) > 2 else {}
        for stress, rows in table.groupby("stress"):
            name = f" ({stress:g})" if several else ""
            found[f"friction_angle{name}"] = estimate(rows["friction_angle"])
            found[f"peak_angle{name}"] = bracketed(rows, "peak_angle")
            found[f"fraction{name}"] = estimate(rows["fraction"])
        return found


def yield_locus(table: pd.DataFrame) -> dict[str, Interval]:
    """Return slope (as an angle) and cohesion of the line of shear stress against normal stress.

    Runs of one repetition have the same grains. Therefore a line is fitted to each repetition, and
    the errors follow from the scatter of the lines. If there is only one repetition, the errors
    follow from the scatter of the runs about the line.
    """
    x, y = "normal_stress", "shear_stress"
    sets = [rows for _, rows in table.groupby("repetition") if len(rows) > 1]
    if len(sets) > 1:
        lines = np.array([np.polyfit(rows[x], rows[y], 1) for rows in sets])
        slope, cohesion = estimate(lines[:, 0]), estimate(lines[:, 1])
    else:
        slope = statistics.slope(table[x], table[y], statistics.SINGLE_LEVEL)
        cohesion = statistics.extrapolated(table[x], table[y], 1, level=statistics.SINGLE_LEVEL)
    angle = slope.mapped(lambda steepness: math.degrees(math.atan(steepness)))
    return {"friction_angle": angle, "cohesion": cohesion}


class Triaxial(Experiment):
    """A triaxial compression test of a periodic sample under stress control."""

    name = "triaxial"
    title = "A periodic sample is compressed along z under constant stress along x and y."
    main = "peak_angle"
    boundary = "p p p"
    prepares = True
    keys: ClassVar = {
        "pressure": PRESSURE,
        "inertial": INERTIAL,
        "strain": Key(0.25, "1", "axial strain at the end", 0.0, True, 0.7),
    }
    units: ClassVar = {
        "peak_angle": (ANGLE, "friction angle at the peak: sin φ = (σ1 − σ3)/(σ1 + σ3)"),
        "critical_angle": (ANGLE, "friction angle over the last fifth of the strain"),
        "dilatancy": ("1", "largest −dε_v/dε_1 over a tenth of the strain"),
        "modulus": ("pressure", "E50, the secant modulus at half the largest deviatoric stress"),
        "fraction": ("1", "volume fraction before the test"),
        "critical_fraction": ("1", "volume fraction over the last fifth of the strain"),
    }
    axes = (("axial strain", "1"), ("stress ratio q/σ3", "1"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        pressure = settings.options["pressure"]
        if pressure is None:
            raise ValueError("pressure is missing: give the stress along x and y")
        unit = unit_time(settings, pressure)
        inertial = option(settings, "inertial", 0.002)
        return periodic(
            settings,
            TRIAXIAL,
            pressure,
            {
                "pressure": (pressure, "stress along x and y"),
                "rate": (0.01 / unit, "rate of volume change during preparation"),
                "axial_rate": (inertial / unit, "axial strain rate"),
                "largest": (option(settings, "strain", 0.25), "axial strain at the end"),
            },
        )

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return peak and critical friction angle, dilatancy and stiffness."""
        test = self._series(run)
        strain, volume = test["v_strain"].to_numpy(), test["v_volumetric"].to_numpy()
        axial = test["f_line[3]"].to_numpy()
        lateral = 0.5 * (test["f_line[1]"] + test["f_line[2]"]).to_numpy()
        sine = (axial - lateral) / (axial + lateral)
        width = max(1, len(strain) // 25)
        late = strain >= 0.8 * strain[-1]
        span = max(2, len(strain) // 10)
        deviator = axial - lateral
        half = 0.5 * largest_mean(deviator, width).value
        return {
            **largest_mean(sine, width)
            .mapped(lambda value: math.degrees(math.asin(value)))
            .columns("peak_angle"),
            "critical_angle": math.degrees(math.asin(float(sine[late].mean()))),
            **largest_growth(strain, -volume, span).columns("dilatancy"),
            "modulus": secant_modulus(test["f_line[4]"].to_numpy(), deviator, half),
            "fraction": float(test["v_fraction"].iloc[0]),
            "critical_fraction": float(test["v_fraction"].to_numpy()[late].mean()),
            "lateral": float(lateral.mean()),
        }

    @staticmethod
    def _series(run: Run) -> pd.DataFrame:
        thermo = run.thermo
        return averaged(thermo[thermo["run"] == thermo["run"].max()])

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return deviatoric / lateral stress, and volumetric strain, against axial strain."""
        test = self._series(run)
        lateral = 0.5 * (test["f_line[1]"] + test["f_line[2]"])
        ratio = (test["f_line[3]"] - lateral) / lateral
        curve = pd.DataFrame({"x": test["f_line[4]"], "y": ratio, "volume": test["v_volumetric"]})
        return curve.groupby(np.arange(len(curve)) * LINES // len(curve)).mean()

    def conclude(self, table: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
        """Return the means, and add a remark if the output is too coarse for the modulus."""
        remark_unknown(
            table["modulus"],
            plan,
            "modulus",
            "half of the largest deviatoric stress is reached within the first two lines of"
            " output; use a smaller `strain`, so that there is more output per strain",
        )
        brackets = {name: bracketed(table, name) for name in ("peak_angle", "dilatancy")}
        return super().conclude(table, plan) | brackets

    def draw(self, axes: Axes, curves: pd.DataFrame, units: str) -> None:
        """Plot stress and volume against strain."""
        super().draw(axes, curves, units)
        other = axes.twinx()
        other.grid(visible=False)
        other.spines["right"].set_visible(True)
        for _, one in curves.groupby("line", sort=False):
            other.plot(one["x"], one["volume"], ls="--", lw=1.0, alpha=0.6)
        other.set_ylabel("volumetric strain (dashed, compression > 0)")


class Oedometer(Experiment):
    """Compression between floor and piston, and unloading."""

    name = "oedometer"
    title = "A piston compresses laterally confined grains, and unloads them."
    main = "modulus"
    boundary = "p p f"
    keys: ClassVar = {
        "first": Key(None, "pressure", "stress at which the strain is 0"),
        "last": Key(None, "pressure", "largest stress"),
        "width": Key("so that the sample is as high as wide", "length", "width of the sample"),
        "ramp": Key("200 d50 √(density/first)", "time", "time from the first to the last stress"),
    }
    units: ClassVar = {
        "modulus": (
            "pressure",
            "constrained modulus: secant from half of the last stress to the last stress",
        ),
        "unloading_modulus": ("pressure", "secant modulus during unloading"),
        "strain": ("1", "strain at the last stress"),
        "residual": ("1", "strain that remains at the first stress after unloading"),
        "fraction": ("1", "volume fraction at the first stress"),
    }
    axes = (("axial strain", "1"), ("axial stress", "pressure"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        grains = settings.grains
        first, last = settings.options["first"], settings.options["last"]
        for name, value in (("first", first), ("last", last)):
            if value is None:
                raise ValueError(f"{name} is missing: {self.keys[name].meaning}")
        if not last > first:
            raise ValueError(f"last = {last:g} must be > first = {first:g}")
        count = grains.count or 0
        d = grains.grading.median
        solid = solid_volume(settings, count)
        width = option(settings, "width", (solid / 0.58) ** (1.0 / 3.0))
        side = periodic_width("width", width, settings)
        height = room(settings, count) / side**2
        unit = unit_time(settings, first)
        falling = 0.3 * d / unit
        return Plan(
            {
                "d50": (d, "median diameter by mass"),
                "density": (grains.density, "of the grains"),
                "first": (first, "first stress"),
                "last": (last, "largest stress"),
                "top": (height, "height of the piston at the start"),
                "falling": (falling, "falling speed of the piston"),
                "rest": (2.0 * height / falling + 10.0 * unit, "time at the first stress"),
                "ramp": (option(settings, "ramp", 200.0 * unit), "time to the largest stress"),
            },
            Space((0.0, 0.0, 0.0), (side, side, height), None, (True, True, False)),
            count,
            (0.0, 0.0, -d),
            (side, side, height + d),
            OEDOMETER,
            speed=falling,
            pressure=last,
        )

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return the moduli, strains, and the volume fraction at the stress `first`."""
        strain, stress, fraction, load = self._series(run)
        top = int(np.argmax(load))  # this line may belong to either loading or unloading
        high = plan["last"]
        low = max(0.5 * high, plan["first"])

        def ends(way: slice) -> NDArray[np.float64]:
            # The piston's load has no noise; selecting lines by the noisy stress would omit low
            # stresses.
            near = load[way] >= low
            return reached(strain[way][near], stress[way][near], (low, high))

        loading, unloading = ends(slice(top)), ends(slice(top + 1, None))
        return {
            "modulus": (high - low) / float(np.diff(loading)[0]),
            "unloading_modulus": (high - low) / float(np.diff(unloading)[0]),
            "strain": float(loading[1]),
            "residual": left(strain, load, plan["first"]),
            "fraction": float(fraction[0]),
        }

    @staticmethod
    def _series(run: Run) -> tuple[NDArray[np.float64], ...]:
        thermo = run.thermo
        last = averaged(thermo[thermo["run"] == thermo["run"].max()])
        height, *others = (last[f"f_line[{n}]"].to_numpy() for n in range(1, 5))
        return 1.0 - height / height[0], *others

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return stress against strain."""
        strain, stress, *_ = self._series(run)
        return pd.DataFrame({"x": strain, "y": stress})


class Packing(Experiment):
    """A periodic packing at a given pressure or volume fraction."""

    name = "packing"
    title = "A periodic packing is made at a given pressure or volume fraction."
    main = "fraction"
    boundary = "p p p"
    keys: ClassVar = {
        "pressure": Key(None, "pressure", "target or, if `fraction` is given, a scale of pressure"),
        "fraction": Key(None, "1", "target volume fraction", 0.5, True, 0.9),
        "inertial": Key(0.01, "1", "rate at which a volume without stress shrinks ×"
                        " d50 √(density/pressure)"),
    }  # fmt: skip
    units: ClassVar = {
        "fraction": ("1", "volume fraction"),
        "pressure": ("pressure", "mean stress from contacts"),
        "coordination": ("1", "contacts per grain"),
        "bearing": ("1", "contacts per grain without rattlers"),
        "rattlers": ("1", "fraction of grains that bear no load"),
    }
    axes = (("volume fraction", "1"), ("mean stress", "pressure"))

    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""
        pressure, fraction = settings.options["pressure"], settings.options["fraction"]
        if pressure is None:
            raise ValueError(
                "pressure is missing: give the target or, with `fraction`, a scale of pressure"
            )
        unit = unit_time(settings, pressure)
        variables: dict[str, tuple[float | str, str]] = {
            "pressure": (pressure, "target" if fraction is None else "scale of pressure"),
            "rate": (
                option(settings, "inertial", 0.01) / unit,
                "rate at which a volume without stress shrinks",
            ),
        }
        if fraction is not None:
            variables["wanted"] = (fraction, "volume fraction")
        return periodic(settings, PACKING if fraction is None else FILLED, pressure, variables)

    def prescribed(self, settings: Settings) -> set[str]:
        """Return the prescribed quantity."""
        return {"pressure" if settings.options["fraction"] is None else "fraction"}

    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return volume fraction, pressure, contacts per grain, and fraction of rattlers."""
        end = run.thermo.iloc[-1]
        contacts = run.local("contacts.dump")
        # Because of `cutoff radius`, the file contains no pairs that are joined across a gap.
        found = measure.coordination(run.dump("end.dump"), contacts, fewest=2)
        return {
            "fraction": float(end["v_fraction"]),
            "pressure": float(end["v_mean"]),
            "coordination": found.mean,
            "bearing": found.bearing,
            "rattlers": found.rattlers,
        }

    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return stress against volume fraction during preparation."""
        thermo = run.thermo
        return pd.DataFrame({"x": thermo["v_fraction"], "y": thermo["v_mean"]})


def periodic(
    settings: Settings,
    body: str,
    pressure: float,
    variables: dict[str, tuple[float | str, str]],
) -> Plan:
    """Return the plan for a sample in a periodic cube."""
    count = settings.grains.count or 0
    side = room(settings, count) ** (1.0 / 3.0)
    small = (solid_volume(settings, count) / 0.64) ** (1.0 / 3.0)
    if small < 2.2 * settings.grains.grading.largest:
        raise ValueError(
            f"count = {count} grains fill a cube with edges of {small:.3g}, but edges must be >="
            f" 2.2 times the largest diameter, {settings.grains.grading.largest:g}"
        )
    scales: dict[str, tuple[float | str, str]] = {
        "d50": (settings.grains.grading.median, "median diameter by mass"),
        "density": (settings.grains.density, "of the grains"),
        "unit": (unit_time(settings, pressure), "unit of time, d50 sqrt(density/pressure)"),
    }
    return Plan(
        scales | variables,
        Space((0.0, 0.0, 0.0), (side, side, side), None, (True, True, True)),
        count,
        (0.0, 0.0, 0.0),
        (side, side, side),
        body,
        speed=0.3 * math.sqrt(pressure / settings.grains.density),
        pressure=pressure,
    )
