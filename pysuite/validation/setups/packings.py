"""Initial states: a sheared packing, and data files of spheres at given positions.

The data file of the packing contains no springs of contacts. All springs are therefore unloaded at
the start of a run that reads the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pysuite.validation.seeds import seed

if TYPE_CHECKING:
    import pandas

    from pysuite.validation import Context

MODELS = {
    "hooke": "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    "whole contact": "hertz 4e5 200 tangential mindlin_rescale/force 3e5 0.8 0.3"
    " rolling sds 5e3 2 0.2 twisting marshall",
    "complete": "hertz/material 6e5 200 0.25 tangential mindlin_deresiewicz 0.8 0.3",
}

SETTLE = """
units lj
atom_style sphere
atom_modify map array
boundary p p f
comm_modify vel yes
lattice sc 0.75 origin 0.5 0.5 0.5
region box block 0 {along} 0 5 0 {top}
create_box 2 box
region fill block 0 {along} 0 5 0 {height}
create_atoms 1 region fill
displace_atoms all random 0.05 0.05 0.05 {displaced}
variable size atom random(0.8,1.1,{sizes})
set group all diameter v_size density 1.2
set type 1 type/fraction 2 0.4 {types}
group bottom id <= {bottom}
pair_style {style}
pair_coeff * * {model}
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor bottom freeze
timestep 5e-4
run {steps}
variable shear atom 0.4*z
velocity all set v_shear NULL NULL sum yes
velocity bottom set 0 0 0
write_data packing.data nocoeff
"""

READ = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
read_data {packing}
"""

# commands that must be repeated after a restart, because restart files lack their settings
MOVE = """
group bottom id <= {bottom}
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor bottom freeze
timestep 1e-4
thermo 1000
"""

QUANTITIES = {
    "position": ["xu", "yu", "zu"],
    "velocity": ["vx", "vy", "vz"],
    "spin": ["omegax", "omegay", "omegaz"],
    "force": ["fx", "fy", "fz"],
    "torque": ["tqx", "tqy", "tqz"],
}
COLUMNS = " ".join(["id", *(column for columns in QUANTITIES.values() for column in columns)])


def write_spheres(
    path: Path,
    box: ArrayLike,
    place: ArrayLike,
    *,
    diameter: ArrayLike,
    density: ArrayLike = 1.0,
    kind: ArrayLike = 1,
    velocity: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
    kinds: int = 1,
) -> Path:
    """Write a data file of n spheres with the ids 1 to n. Numbers are written with all digits.

    `box` has shape (3, 2), and `place` has shape (n, 3). `kind` contains the atom types. The file
    declares at least `kinds` atom types.
    """
    place = np.asarray(place, dtype=float)
    kind = np.broadcast_to(kind, len(place))
    size = [np.broadcast_to(values, len(place)) for values in (diameter, density)]
    motion = [np.broadcast_to(values, place.shape) for values in (velocity, spin)]
    atoms = np.column_stack([np.arange(1, len(place) + 1), kind, *size, place])
    motions = np.column_stack([atoms[:, 0], *motion])
    with path.open("w") as file:
        file.write(f"spheres\n\n{len(place)} atoms\n{max(kinds, kind.max())} atom types\n")
        for axis, (low, high) in zip("xyz", np.asarray(box, dtype=float), strict=True):
            file.write(f"{low:.17g} {high:.17g} {axis}lo {axis}hi\n")
        for title, rows in (("Atoms # sphere", atoms), ("Velocities", motions)):
            np.savetxt(file, rows, fmt="%.17g", header=f"\n{title}\n", comments="")
    return path


def settling(
    along: int,
    *,
    layers: int = 10,
    top: float = 30.0,
    style: str = "granular/plus",
    model: str = MODELS["hooke"],
    steps: int = 8000,
) -> str:
    """Return a script that writes the data file `packing.data` of a packing.

    Each layer of the packing has `along` × 5 grains. The first layer is frozen.
    """
    words = {"top": top, "style": style, "model": model, "steps": steps}
    words |= {"displaced": seed(8123), "sizes": seed(4711), "types": seed(9973)}
    return SETTLE.format(along=along, bottom=5 * along, height=layers - 0.1, **words)


def settle(c: Context, along: int) -> Path:
    """Return the data file of a packing of `along` × 5 × 10 grains."""
    return c.lammps(settling(along)).folder / "packing.data"


def read(packing: Path) -> str:
    """Return the commands that read a packing."""
    return READ.format(packing=packing)


def move(along: int) -> str:
    """Return the commands with which a packing moves on."""
    return MOVE.format(bottom=5 * along)


def write(name: str) -> str:
    """Return the command that writes all compared quantities to the file `name`."""
    return f"write_dump all custom {name} {COLUMNS} modify format float %.17g sort id\n"


def differences(one: pandas.DataFrame, other: pandas.DataFrame) -> dict[str, float]:
    """Return the largest difference of each quantity, divided by the quantity's root mean square.

    Raises ValueError if the two tables have different grains.
    """
    if not np.array_equal(one["id"], other["id"]):
        raise ValueError("the grains are not the same")
    result = {}
    for name, columns in QUANTITIES.items():
        a, b = one[columns].to_numpy(float), other[columns].to_numpy(float)
        rms = np.sqrt((a**2).sum(axis=1).mean())
        result[name] = float(np.abs(a - b).max() / rms)
    return result


def identical(frames: Sequence[pandas.DataFrame]) -> bool:
    """Return True if all states are bitwise identical."""
    return all(frame.equals(frames[0]) for frame in frames[1:])
