"""Random scenes of grains in any units.

A seed determines a scene, and a scene is converted to a LAMMPS script.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pysuite import laws


class Dimension(NamedTuple):
    length: float
    mass: float
    time: float


NUMBER = Dimension(0, 0, 0)
LENGTH = Dimension(1, 0, 0)
TIME = Dimension(0, 0, 1)
VELOCITY = Dimension(1, 0, -1)
SPIN = Dimension(0, 0, -1)
ACCELERATION = Dimension(1, 0, -2)
MASS = Dimension(0, 1, 0)
DENSITY = Dimension(-3, 1, 0)
VOLUME = Dimension(3, 0, 0)
FORCE = Dimension(1, 1, -2)
TORQUE = Dimension(2, 1, -2)
ENERGY = Dimension(2, 1, -2)
STIFFNESS = Dimension(0, 1, -2)
PRESSURE = Dimension(-1, 1, -2)
# temperature is not scaled
DIMENSIONS = {
    "-": NUMBER,
    "degree": NUMBER,
    "distance": LENGTH,
    "time": TIME,
    "volume": VOLUME,
    "force": FORCE,
    "torque": TORQUE,
    "torque time": Dimension(2, 1, -1),
    "force/distance": STIFFNESS,
    "force time/distance": Dimension(0, 1, -1),
    "pressure": PRESSURE,
    "pressure time": Dimension(-1, 1, -1),
    "energy/area": STIFFNESS,
    "power/(distance temperature)": Dimension(1, 1, -3),
    "power/(area temperature)": Dimension(0, 1, -3),
    "force/distance^n": Dimension(-0.5, 1, -2),  # n = 1.5
    "force/distance^chi": Dimension(-1, 1, -2),  # chi = 2
}
HEAT_CAPACITY = Dimension(2, 0, -2)
# the dimension and the value of the first argument of each damping law
DAMPING = {
    "viscoelastic": (Dimension(-1, 0, -1), 60.0),
    "velocity": (Dimension(0, 1, -1), 5.0),
    "mass_velocity": (Dimension(0, 0, -1), 20.0),
    "tsuji": (NUMBER, 0.5),
    "coeff_restitution": (NUMBER, 0.5),
}
# with these values, a collision takes about 50 steps of 2^-12
VALUES = {
    "kn": 2.0e4,
    "E": 4.0e4,
    "nu": 0.3,
    "kt": 1.1e4,
    "k": 1.0e3,
    "e": 0.7,
    "gamma": 0.5,
    "xgamma": 0.8,
    "theta": 20.0,
    "V": 2.0e-3,
    "Tc": 0.0125,
    "k1": 1.0e4,
    "k2": 4.0e4,
    "kc": 5.0e3,
    "phi": 0.05,
    "kadh": 1.0e4,
    "f0": -0.3,
    "n": 1.5,
    "chi": 2.0,
    "py": 1.0e3,
    "ks": 2.0,
    "hs": 20.0,
    "F": 1.0,
    "S": 0.4,
    "Vmax": 4.0e-3,
    "Vmin": 1.0e-5,
    "hmin": 0.01,
    "B": 0.1,
    "M": 4.0,
    "ratio": 0.6,
    "sigma": 500.0,
    "tau": 400.0,
    "beta": 0.05,
    "seed": 17,
}
FRICTION = {"tangential": 0.4, "rolling": 0.1, "twisting": 0.05}  # coefficients of friction mu
VISCOSITY = 0.05
# normal laws that cannot be combined with RESTITUTION
WITHOUT_RESTITUTION = ("dmt", "jkr")
RESTITUTION = ("tsuji", "coeff_restitution")
OPTIONAL = ("rolling", "twisting", "bridge", "heat", "van_der_waals", "limit_damping")
ACROSS_GAP = ("jkr", "thornton_ning")
COHESIVE = frozenset(("dmt", "jkr", "luding", "edinburgh", "thornton_ning"))
WITH_MATERIAL = ("hertz/material", "dmt", "jkr", "actm", "thornton_ning")
STOCK = {  # laws that pair granular also provides
    "normal": ("hooke", "hertz", "hertz/material", "dmt", "jkr"),
    "tangential": ("linear_nohistory", "linear_history", "mindlin", "mindlin_rescale"),
}


class Value(NamedTuple):
    number: float
    dimension: Dimension


Word = str | Value


@dataclass(frozen=True)
class Units:
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def of(self, dimension: Dimension) -> float:
        return float(
            self.length**dimension.length * self.mass**dimension.mass * self.time**dimension.time
        )

    def write(self, words: list[Word]) -> str:
        return " ".join(
            w if isinstance(w, str) else repr(w.number * self.of(w.dimension)) for w in words
        )


@dataclass(frozen=True)
class Grain:
    place: tuple[float, float, float]
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]
    diameter: float
    density: float
    type: int


@dataclass(frozen=True)
class Twin:
    """The settings of a run. None of these settings may change the result."""

    units: Units = Units()
    lists: str = "rare"  # or "every", which builds a new list in each step
    skin: float = 0.4
    spectators: bool = False  # add grains at rest that are far away
    ledger: bool = True
    newton: str = "off"
    all_grains: bool = False  # walls check all grains instead of lists of near grains
    own_list: bool = False  # use the plug-in's own neighbour list, and check all pairs
    engine: bool = False  # use run_style verlet/plus/gpu on the CPU
    runs: int = 1
    restart: bool = False  # restart from a file between the two runs
    style: str = "plus"  # or "stock" (LAMMPS's own styles), or "suffix" (with -sf plus/dsds)
    nudge: float = 1.0  # factor of the time step
    ranks: int = 1


REGION_WALL = "region wall"
REGIONS: tuple[list[Word], ...] = (
    ["sphere 0 0 0", Value(4.0, LENGTH), "side in"],
    ["sphere 0 0", Value(-3.4, LENGTH), Value(0.8, LENGTH), "side out"],
    ["block", *(Value(side * 3.1, LENGTH) for side in (-1, 1) * 3)],
    ["cone z 0 0", *(Value(size, LENGTH) for size in (2.0, 4.0, -3.5, 3.5))],
)
CUBE, DRUM = "cube.obj", "drum.stl"
CORNERS = list(itertools.product((-1, 1), repeat=3))
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def drawings() -> dict[str, str]:
    """Return the mesh files of a cube with edges of length 2 and of an eight-sided drum."""
    lines = ["v " + " ".join(map(str, corner)) for corner in CORNERS]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in FACES]
    angles = [2 * math.pi * k / 8 for k in range(9)]
    rim = [(3.4 * math.cos(a), 3.4 * math.sin(a)) for a in angles]
    stl = ["solid drum"]
    for (x0, y0), (x1, y1) in itertools.pairwise(rim):
        for corners in (
            ((x0, y0, -3.2), (x1, y1, 3.2), (x1, y1, -3.2)),
            ((x0, y0, -3.2), (x0, y0, 3.2), (x1, y1, 3.2)),
            ((0, 0, -3.2), (x0, y0, -3.2), (x1, y1, -3.2)),
        ):
            stl += ["facet normal 0 0 0", "outer loop"]
            stl += ["vertex " + " ".join(map(repr, corner)) for corner in corners]
            stl += ["endloop", "endfacet"]
    return {CUBE: "\n".join([*lines, ""]), DRUM: "\n".join([*stl, "endsolid drum", ""])}


@dataclass(frozen=True)
class Scene:
    grains: list[Grain]
    model: list[Word]
    walls: list[list[Word]]
    slider: str
    two_materials: bool = False
    shapes: bool = False  # grains of type 2 are cubes
    bonds: bool = False
    film: bool = False
    heat: bool = False
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    periodic: bool = False  # whether the box is periodic along y
    steps: int = 600
    stock: bool = False  # whether LAMMPS's own styles have all laws of the scene
    regions: list[list[Word]] = field(default_factory=list)

    HALF_WIDTH = 3.0

    @property
    def follows_units(self) -> bool:
        """Return whether results are the same in any unit of length.

        In LAMMPS and with the slider dsds, classic models and marshall depend on the unit of
        length.
        """
        words = [word for word in self.model if isinstance(word, str)]
        return self.slider != "dsds" or not any(
            word == "marshall" or word.endswith("_classic") for word in words
        )

    @property
    def oriented(self) -> bool:
        return self.bonds or self.shapes

    def script(self, twin: Twin) -> Iterator[str]:
        yield from self.set_up(twin)
        yield from self.forces(twin)
        if twin.runs == 2:
            yield f"run {self.steps // 2} post no"
            if twin.restart:
                yield from self.go_on(twin)
            yield f"run {self.steps - self.steps // 2} post no"
        else:
            yield f"run {self.steps} post no"

    def set_up(self, twin: Twin) -> Iterator[str]:
        write = twin.units.write
        far, side = Value(16.0, LENGTH), Value(self.HALF_WIDTH, LENGTH)
        yield "units lj"
        yield "atom_style " + ("bpm/sphere" if self.oriented else "sphere")
        yield "atom_modify map array sort 0 0"
        yield f"newton {twin.newton}"
        yield "boundary f " + ("p" if self.periodic else "f") + " f"
        yield "comm_modify vel yes"
        if twin.ranks > 1:
            yield "processors * 1 1"  # the boundary between ranks is in the middle of the scene
        y = side if self.periodic else far
        minus = [v._replace(number=-v.number) for v in (far, y)]
        yield write(["region box block", minus[0], far, minus[1], y, minus[0], far])
        yield "create_box 2 box"
        yield from self.heat_and_liquid()
        for number, grain in enumerate(self.grains, 1):
            yield from create(number, grain, twin.units)
        if twin.spectators:
            for number, grain in enumerate(self.spectators(), len(self.grains) + 1):
                yield from create(number, grain, twin.units)
        if self.film:
            film = Value(3.0e-3, VOLUME)
            yield write([f"set atom 1*{len(self.grains)} d_film", film])
        if self.heat:
            yield "set group all temperature 300"
            for number in range(1, len(self.grains) + 1, 2):
                yield f"set atom {number} temperature {300 + 10 * number}"

    def forces(self, twin: Twin) -> Iterator[str]:
        """Yield the commands that define forces and motion, which are repeated after a restart."""
        write = twin.units.write
        yield f"group moving id <= {len(self.grains)}"
        yield write(["neighbor", Value(twin.skin, LENGTH), "bin"])
        when = "every 1 delay 0 check no" if twin.lists == "every" else "every 1 delay 0 check yes"
        yield f"neigh_modify {when}"
        stock = twin.style != "plus"
        slider = [] if stock else ["slider", self.slider]
        words = [*self.model, *slider]
        if stock:
            yield "pair_style granular"
        else:
            own = " list own" if twin.own_list else ""
            yield f"pair_style granular/plus ledger {'yes' if twin.ledger else 'no'}{own}"
        bond: list[Word] = []
        if self.bonds:
            parameters = law("bond", "beam")["parameters"]
            bond = ["bond beam", *arguments("bond", parameters, {}, optional=("beta",))]
        yield write(["pair_coeff * *", *words, *bond])
        yield from (write(region) for region in self.regions)
        for number, wall in enumerate(self.walls):
            model = [w for w in words if w != "synchronized_verlet"]
            style = "wall/gran granular" if stock else "wall/granular/plus"
            if stock and wall[0] == REGION_WALL:
                style = "wall/gran/region granular"
            yield write([f"fix wall{number} moving {style}", *model, *wall])
        strength = math.sqrt(sum(g * g for g in self.gravity))
        if strength:
            vector = " ".join(repr(g / strength) for g in self.gravity)
            g = Value(strength, ACCELERATION)
            yield write(["fix weight moving gravity", g, f"vector {vector}"])
        if self.shapes:
            yield "group shaped type 2"
            yield "group round subtract moving shaped"
            density = Value(1.2, DENSITY)
            yield write([f"fix shape shaped shape/granular/plus file {CUBE} density", density])
        mover = "bpm/sphere" if self.oriented else "sphere"
        yield f"fix move {'round' if self.shapes else 'moving'} nve/{mover}"
        if self.bonds:
            yield write(["fix bonds moving granular/bond form", Value(0.02, LENGTH), "every 40"])
        if self.heat:
            yield write(["fix flow all heat/flow constant", Value(50.0, HEAT_CAPACITY)])
        yield write(["timestep", Value(2.0**-12 * twin.nudge, TIME)])
        if twin.engine:
            yield "run_style verlet/plus/gpu"
        yield "thermo_modify lost error norm no"
        if twin.ledger and not stock:
            yield "compute ledger all granular/ledger"
            yield "thermo_style custom step pe c_ledger[*]"
        yield f"thermo {self.steps}"

    def heat_and_liquid(self) -> Iterator[str]:
        if self.heat:
            yield "fix heat all property/atom temperature heatflow ghost yes"
        if self.film:
            yield "fix film all property/atom d_film ghost yes"

    def go_on(self, twin: Twin) -> Iterator[str]:
        yield "write_restart half.restart"
        yield "clear"
        yield f"newton {twin.newton}"
        yield "read_restart half.restart"
        yield "comm_modify vel yes"
        yield from self.heat_and_liquid()
        yield from self.forces(twin)

    def spectators(self) -> list[Grain]:
        """Return grains at rest that do not interact with the scene."""
        still = (0.0, 0.0, 0.0)
        places = [
            # the distance from the scene is larger than the range of all attractive forces
            (side * (11.0 + 1.2 * i), 1.25 * j - 1.0, 9.0)
            for side, i, j in itertools.product((-1, 1), range(3), range(3))
        ]
        return [Grain(place, still, still, 1.0, 1.0, 1) for place in places]


def create(number: int, grain: Grain, units: Units) -> Iterator[str]:
    place = [Value(x, LENGTH) for x in grain.place]
    yield units.write([f"create_atoms {grain.type} single", *place, "units box"])
    words: list[Word] = [f"set atom {number} diameter", Value(grain.diameter, LENGTH)]
    words += ["density", Value(grain.density, DENSITY)]
    for axis, v in zip("xyz", grain.velocity, strict=True):
        words += [f"v{axis}", Value(v, VELOCITY)]
    words += ["omega", *(Value(w, SPIN) for w in grain.spin)]
    yield units.write(words)


def stiffer(words: list[Word]) -> list[Word]:
    return [
        w._replace(number=1.5 * w.number)
        if isinstance(w, Value) and w.dimension in (PRESSURE, STIFFNESS)
        else w
        for w in words
    ]


def law(role: str, name: str) -> laws.Law:
    return next(entry for entry in laws.registry()[role] if entry["name"] == name)


def arguments(
    role: str,
    parameters: list[laws.Parameter],
    chosen: dict[str, Value],
    optional: tuple[str, ...] = (),
) -> list[Word]:
    words: list[Word] = []
    for parameter in parameters:
        symbol = parameter["symbol"]
        if parameter["may_be_missing"] and symbol not in optional:
            continue
        words += parameter["label"].split()
        if symbol in chosen:
            words.append(chosen[symbol])
            continue
        if symbol == "mu":
            number = VISCOSITY if parameter["unit"] == "pressure time" else FRICTION[role]
        elif symbol == "gamma" and role in ("rolling", "twisting"):
            number = 2.0
        elif symbol in VALUES:
            number = VALUES[symbol]
        else:
            number = 0.5 * (max(parameter["low"], 0.0) + min(parameter["high"], 1.0))
        words.append(
            str(number) if symbol == "seed" else Value(number, DIMENSIONS[parameter["unit"]])
        )
    return words


class Author:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def choose(self, role: str, names: tuple[str, ...] | None = None) -> laws.Law:
        entries = [
            e
            for e in laws.registry()[role]
            if not e["non_local"] and (names is None or e["name"] in names)
        ]
        return self.random.choice(entries)

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def vector(self, size: float) -> tuple[float, float, float]:
        x, y, z = (self.random.uniform(-size, size) for _ in range(3))
        return x, y, z

    def scene(self) -> Scene:
        slider = self.random.choice(("csds", "csds", "dsds", "truncate"))
        stock = slider == "dsds" and self.often(0.7)
        model, marks = self.model(stock)
        periodic = self.often(0.4)
        walls, regions = self.walls(periodic, stock)
        if stock and "jkr" in model:  # at other walls, LAMMPS ends jkr contacts at zero overlap
            walls = [wall for wall in walls if wall[0] == "zplane"]
        if marks["heat"]:
            walls = [[*wall, "temperature", Value(280.0, NUMBER)] for wall in walls]
        if marks["film"]:
            thickness = Value(self.random.choice((0.0, 4.0e-4)), LENGTH)
            walls = [[*wall, "film", thickness] for wall in walls]
        marks["bonds"] = not stock and self.often(0.12)
        if not COHESIVE.isdisjoint(model):
            walls = [wall for wall in walls if wall[0] != f"mesh {DRUM}"]
        round_only = {*COHESIVE, "bridge", "van_der_waals", "velocity"}
        only_spheres = (REGION_WALL, f"mesh {DRUM}")
        marks["shapes"] = (
            self.often(0.3)
            and not (stock or marks["bonds"])
            and round_only.isdisjoint(model)
            and not any(wall[0] in only_spheres for wall in walls)
        )
        marks["two_materials"] = not marks["bonds"] and self.often(0.3)
        return Scene(
            grains=self.grains(),
            model=model,
            walls=walls,
            slider=slider,
            periodic=periodic,
            gravity=self.vector(3.0) if self.often(0.5) else (0.0, 0.0, 0.0),
            stock=stock,
            regions=regions,
            **marks,
        )

    def model(self, stock: bool) -> tuple[list[Word], dict[str, bool]]:
        normal = self.choose("normal", STOCK["normal"] if stock else None)
        name = normal["name"]
        plain = name not in WITHOUT_RESTITUTION and not normal["yields"]
        damping = self.choose("damping")["name"]
        while not plain and damping in RESTITUTION:
            damping = self.choose("damping")["name"]
        dimension, number = DAMPING[damping]
        words: list[Word] = [name]
        damped = not normal["yields"] or self.often(0.5)
        optional = ("eta",) if damped else ()
        chosen = {"eta": Value(number, dimension)}
        words += arguments("normal", normal["parameters"], chosen, optional)
        if not normal["per_collision"] and damped:
            words += ["damping", damping]
        tangential = self.choose("tangential", STOCK["tangential"] if stock else None)
        while tangential["name"] == "mindlin_deresiewicz" and name not in WITH_MATERIAL:
            tangential = self.choose("tangential")
        words += ["tangential", tangential["name"]]
        words += arguments("tangential", tangential["parameters"], {})
        for role in ("rolling", "twisting"):
            if self.often(0.4):
                chosen_law = self.choose(role)
                if chosen_law["name"] == "marshall" and "nohistory" in tangential["name"]:
                    continue
                words += [role, chosen_law["name"]]
                words += arguments(role, chosen_law["parameters"], {})
        marks = {"film": False, "heat": False}
        if not stock and name not in ACROSS_GAP and self.often(0.35):
            bridge = self.choose("bridge")
            marks["film"] = bridge["name"].endswith("film")
            optional = tuple(
                symbol
                for symbols in (
                    ("S",),
                    ("Vmax",),
                    ("Vmin",),
                    ("mu", "hmin"),
                    ("mu", "hmin", "B", "M"),
                )
                if self.often(0.4)
                for symbol in symbols
            )
            words += ["bridge", bridge["name"].removesuffix("/film")]
            given = arguments("bridge", bridge["parameters"], {}, optional)
            if marks["film"]:
                given.insert(2, "film")
            words += given if bridge["name"] != "none" else []
        if not stock and self.often(0.25):
            conduction = self.choose("heat")
            marks["heat"] = True
            words += ["heat", conduction["name"]]
            words += arguments("heat", conduction["parameters"], {}, ("F",))
        if not stock and "bridge" not in words and name not in ACROSS_GAP and self.often(0.12):
            words += ["van_der_waals", Value(0.05, ENERGY), Value(0.01, LENGTH), Value(0.1, LENGTH)]
        if plain and not normal["per_collision"] and self.often(0.1):
            words.append("limit_damping")
        return words, marks

    def grains(self) -> list[Grain]:
        number = self.random.choice((2, 2, 3, 5, 12, 30))
        width = min(2.4, 0.75 * number ** (1 / 3))
        speed = self.random.choice((0.5, 1.0, 2.0))
        grains: list[Grain] = []
        for _ in range(400 * number):
            if len(grains) == number:
                break
            diameter = self.random.uniform(0.7, 1.3)
            grain = Grain(
                place=self.vector(width),
                velocity=self.vector(speed),
                spin=self.vector(3.0),
                diameter=diameter,
                density=self.random.uniform(0.8, 1.2),
                type=self.random.choice((1, 2)),
            )
            gap = self.random.choice((-0.01, 0.01, 0.05))
            if all(
                math.dist(grain.place, g.place) > 0.5 * (diameter + g.diameter) + gap
                for g in grains
            ):
                grains.append(grain)
        return grains

    def walls(self, periodic: bool, stock: bool) -> tuple[list[list[Word]], list[list[Word]]]:
        walls: list[list[Word]] = []
        regions: list[list[Word]] = []
        if self.often(0.6):
            bottom, top = Value(-3.2, LENGTH), Value(3.2, LENGTH)
            high: Word = top if self.often(0.5) else "NULL"
            walls.append(["zplane", bottom, high, *self.motion("xyz", "xy")])
        if self.often(0.3) and not periodic:
            walls.append(["zcylinder", Value(3.3, LENGTH), *self.motion("z", "z")])
        if not stock and not periodic and self.often(0.3):
            motion: list[Word] = ["rotate", Value(4.0, SPIN), "0 0 0 0 0 1"]
            place = ["scale", Value(1.0, LENGTH)]
            walls.append([f"mesh {DRUM}", *place, *(motion if self.often(0.5) else [])])
        if self.often(0.3):
            regions.append([REGION_WALL, *self.random.choice(REGIONS)])
            walls.append([REGION_WALL])
        return walls, regions

    def motion(self, axes: str, along: str) -> list[Word]:
        if self.often(0.5):
            return []
        if self.often(0.5):
            return ["wiggle", self.random.choice(axes), Value(0.02, LENGTH), Value(0.1, TIME)]
        return ["shear", self.random.choice(along), Value(0.7, VELOCITY)]


def smaller(scene: Scene) -> Iterator[Scene]:
    """Yield smaller scenes. Each one lacks some grains, a wall, gravity or an optional law."""
    number = len(scene.grains)
    if number > 3:
        yield replace(scene, grains=scene.grains[: number // 2])
        yield replace(scene, grains=scene.grains[number // 2 :])
    for gone in range(number if number > 1 else 0):
        yield replace(scene, grains=[g for i, g in enumerate(scene.grains) if i != gone])
    for gone in range(len(scene.walls)):
        yield replace(scene, walls=[w for i, w in enumerate(scene.walls) if i != gone])
    if any(scene.gravity):
        yield replace(scene, gravity=(0.0, 0.0, 0.0))
    for start, end in itertools.combinations(range(1, len(scene.model) + 1), 2):
        if scene.model[start] in OPTIONAL and (
            end == len(scene.model) or scene.model[end] in OPTIONAL
        ):
            yield replace(scene, model=scene.model[:start] + scene.model[end:])


def scene(seed: int) -> Scene:
    return Author(seed).scene()


def with_units(twin: Twin, seed: int) -> Twin:
    """Return a twin in other units.

    The factors are powers of two whose square, cube and sixth roots are exact.
    """
    chance = random.Random(seed)
    factors = [2.0 ** (12 * chance.choice((-2, -1, 1, 2))) for _ in range(3)]
    return replace(twin, units=Units(*factors))
