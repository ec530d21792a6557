"""Elastic moduli and sound speeds of packings of equal Hertz spheres, measured with small strains.

Contacts do not slide. Their tangential springs are unloaded at the start. Units are the mass and
the diameter of a sphere, and the factor A in the contact force A R^(1/2) overlap^(3/2). The
effective radius R is 1/4.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pysuite.validation import Context
from pysuite.validation.references import networks
from pysuite.validation.references.networks import Contacts, Moduli
from pysuite.validation.setups import jammed, modes, packings
from pysuite.validation.setups.jammed import State

Array = NDArray[np.float64]

POWER = 1.5
AXES = ("x", "y", "z", "xy", "xz", "yz")  # in the order of networks.STRAINS
SMALL = 1e-4  # strain, in units of the overlap at the mean force divided by the diameter
STEP = 0.05  # time step / (mass/stiffness of a contact)^(1/2)
BRIEF = 1e-3  # time in which a strain is applied / time step; too short for forces to move spheres
DAMPING = 0.4  # dashpot of a contact / (mass times stiffness of a contact)^(1/2)
REST = 5000  # steps until a packing is at rest
COPIES = 4  # number of packings in a row; the length of the row is the wavelength
SAMPLES = 200  # samples of a wave
POLARISED = (0, 3, 4)  # strains of waves along x in which spheres move along x, y and z

HEAD = """
clear
units lj
atom_style sphere
boundary p p p
comm_modify vel yes
newton off
read_data packing.data
change_box all triclinic
neighbor 0.2 bin
neigh_modify every 100000 delay 0 check no
pair_style granular/plus
pair_coeff * * hertz 1 {damping:.17g} tangential mindlin {tangential:.17g} 1 1e6
fix move all nve/sphere
compute stress all pressure NULL virial
compute torques all property/atom tqx tqy tqz
compute torque all reduce sum c_torques[*]
thermo_style custom step c_stress c_torque[1]
thermo 1000000
timestep {step:.17g}
"""
STRAIN = """
variable vx atom {velocity[0]}
variable vy atom {velocity[1]}
variable vz atom {velocity[2]}
velocity all set v_vx v_vy v_vz
set group all omega {spin[0]:.17g} {spin[1]:.17g} {spin[2]:.17g}
timestep {brief:.17g}
fix strain all deform 1 {axis} erate {rate:.17g} remap v
run 1
unfix strain
velocity all set 0 0 0
set group all omega 0 0 0
timestep {step:.17g}
run 0
print "{stress}" append stress.txt
run {rest}
print "{stress}" append stress.txt
"""
WAVE = """
dump motion all custom {every} motion id vx vy vz omegax omegay omegaz
dump_modify motion sort id format float %.17g
run {steps}
"""
# LAMMPS computes the shear stress as the sum of x f_y. Here it is the mean of this sum and the sum
# of y f_x. The two sums differ before the spheres have turned, when torques are not balanced.
SYMMETRIC = ["", "", "", "+0.5*c_torque[3]/vol", "-0.5*c_torque[2]/vol", "+0.5*c_torque[1]/vol"]
STRESS = " ".join(f"$(c_stress[{i}]{more}:%.17g)" for i, more in enumerate(SYMMETRIC, 1))


class Packing(NamedTuple):
    """The spheres of a packing that bear forces, in a cubic periodic box.

    Attributes:
        places: array of shape (spheres, 3), centres of the spheres.
        edge: edge length of the box.
        contacts: contacts of the spheres.
    """

    places: Array
    edge: float
    contacts: Contacts

    @property
    def overlap(self) -> float:
        """Overlap of a contact with the mean force."""
        return float((2.0 * self.contacts.force.mean()) ** (1.0 / POWER))

    @property
    def frequency(self) -> float:
        """Angular frequency of a sphere on a spring with the mean stiffness of contacts."""
        return float(self.contacts.stiffness.mean() ** 0.5)

    @property
    def pressure(self) -> float:
        """Pressure in units of A."""
        of = self.contacts
        return float((of.force * of.distance).sum() / (3.0 * self.edge**3))

    @property
    def fraction_times_contacts(self) -> float:
        """Solid fraction times number of contacts per sphere."""
        return float(np.pi / 3.0 * len(self.contacts.one) / self.edge**3)

    def network(self, tangential: float) -> Moduli:
        """Return the moduli of the network of springs. `tangential` is k_t/k_n."""
        box = self.edge**3
        return networks.moduli(self.contacts, len(self.places), box, networks.STRAINS, tangential)


def bearing(state: State) -> Packing:
    """Return the spheres of a jammed packing that bear forces."""
    found = jammed.contacts(state.places, state.diameters, state.edge, POWER)
    kept, bears = jammed.between_bearing(found, len(state.places))
    return Packing(state.places[bears] % state.edge, state.edge, kept)


def head(of: Packing, tangential: float, damping: float) -> str:
    """Return the beginning of a script. `damping` is defined as `DAMPING`."""
    # dashpot coefficient = damping in pair_coeff * mass / 2 * contact radius
    radius = of.contacts.stiffness.mean() / POWER
    factor = damping * of.frequency / (0.5 * radius)
    step = STEP / of.frequency
    return HEAD.format(damping=factor, tangential=POWER * tangential, step=step)


def write(of: Packing, path: Path, copies: int = 1, velocity: Array | float = 0.0) -> None:
    """Write a data file with copies of a packing in a row along x."""
    row = np.concatenate([of.places + n * of.edge * np.eye(3)[0] for n in range(copies)])
    box = [(0.0, copies * of.edge), (0.0, of.edge), (0.0, of.edge)]
    packings.write_spheres(path, box, row, diameter=1.0, density=6.0 / np.pi, velocity=velocity)


def strained(c: Context, of: Packing, tangential: float, folder: Path) -> Moduli:
    """Return the moduli from the change of the stress after each strain.

    `affine` is measured while the spheres still follow the strain without turning. `relaxed` is
    measured when the spheres are at rest. The simulation runs in a new folder.
    """
    folder.mkdir()
    write(of, folder / "packing.data")
    strain, step = SMALL * of.overlap, STEP / of.frequency
    brief = BRIEF * step
    rate = strain / brief
    script = ""
    for axis, gradient in [("x", np.zeros((3, 3))), *zip(AXES, gradients(rate), strict=True)]:
        turning = 0.5 * (gradient - gradient.T)
        script += head(of, tangential, DAMPING) + STRAIN.format(
            velocity=["{:.17g}*x + {:.17g}*y + {:.17g}*z".format(*row) for row in gradient],
            spin=[turning[2, 1], turning[0, 2], turning[1, 0]],
            axis=axis,
            rate=np.abs(gradient).max(),
            brief=brief,
            step=step,
            rest=REST,
            stress=STRESS,
        )
    c.lammps(script, folder=folder)
    stress = -np.loadtxt(folder / "stress.txt").reshape(7, 2, 6)
    affine, relaxed = np.moveaxis(stress[1:] - stress[0], 1, 0) / strain
    return Moduli(affine, relaxed)


def gradients(rate: float) -> Array:
    """Return the velocity gradients of the strains as an array of shape (6, 3, 3).

    The gradients are triangular, because boxes of LAMMPS can shear only along x or y.
    """
    return rate * np.array([np.triu(s + s.T - np.diag(np.diag(s))) for s in networks.STRAINS])


def speeds(relaxed: Array, density: float) -> tuple[Array, Array]:
    """Return the speeds and polarisations of the three waves along x.

    The polarisations are the columns of a matrix.
    """
    stiffness = relaxed[np.ix_(POLARISED, POLARISED)]
    squares, directions = np.linalg.eigh(0.5 * (stiffness + stiffness.T) / density)
    return np.sqrt(squares), directions


def sound(
    c: Context, of: Packing, tangential: float, relaxed: Array, folder: Path
) -> tuple[Array, Array]:
    """Return the simulated and the predicted speeds of the three waves along x.

    The prediction is from the moduli `relaxed`. Speeds are in ascending order: the first two waves
    are transverse, and the third wave is longitudinal. The waves are standing waves in a row of
    copies of the packing. The simulation runs in a new folder.
    """
    folder.mkdir()
    expected, directions = speeds(relaxed, len(of.places) / of.edge**3)
    number = 2.0 * np.pi / (COPIES * of.edge)
    x = np.concatenate([of.places[:, 0] + n * of.edge for n in range(COPIES)])
    shapes = np.zeros((3, len(x), 6))
    size = SMALL * of.overlap * of.frequency
    shapes[:, :, :3] = size * np.sin(number * x)[:, None] * directions.T[:, None, :]
    write(of, folder / "packing.data", COPIES, shapes.sum(axis=0)[:, :3])
    step = STEP / of.frequency
    every = round(2.0 * np.pi / (number * expected[0] * step * SAMPLES))
    script = head(of, tangential, 0.0) + WAVE.format(every=every, steps=every * SAMPLES)
    dump = c.lammps(script, folder=folder).dump("motion")
    times = step * dump["step"].unique()
    left = modes.left(dump, shapes)
    found = [
        modes.frequency(times, a, number * speed) / number
        for a, speed in zip(left, expected, strict=True)
    ]
    return np.array(found), expected
