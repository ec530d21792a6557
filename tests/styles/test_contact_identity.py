"""The history of a contact stays with one periodic image of the partner grain.

Neighbour lists, ranks and IDs do not matter.
"""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine
from pysuite.validation.setups import packings

FRICTION = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"
STATE = "id x y z vx vy vz omegax omegay omegaz"
WRITE = f"write_dump all custom end {STATE} modify format float %.17g sort id\n"


def end(script: str, **options: object) -> np.ndarray:
    """Return the final positions, velocities and spins, sorted by ID."""
    return engine.run(script + WRITE, timeout=100, **options).dump("end").to_numpy(float)[:, 1:]


# ---------------------------------------------------------------------------- images of a partner

THIN = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
boundary p f f
comm_modify vel yes
region box block 0 {width} -5 5 -5 5
create_box 1 box
pair_style granular/plus
pair_coeff * * {model}
neighbor 0.3 bin
neigh_modify every {every} delay 0 check no
timestep 1e-4
fix move all nve/sphere
"""
TWO = """
create_atoms 1 single 0.05 0 0
create_atoms 1 single 0.65 0.77 0.1
set group all diameter 1 density 1
set atom 2 omega 3 -2 8
set atom 1 omega 0 0 5
velocity all set 1 0 -0.2
run 2000
"""
# a grain that overlaps its own image
ONE = """
create_atoms 1 single 0.9 0 0
set group all diameter 1 density 1
set atom 1 omega 1 6 8
run 1000
"""
CONTACTS = {
    "two grains": (1.2, TWO, FRICTION),
    "two grains, rolling": (1.2, TWO, f"{FRICTION} rolling sds 1e3 1 0.2 twisting sds 10 0.1 0.1"),
    "two grains, bridges": (1.2, TWO, f"{FRICTION} bridge willett/simple 5 20 volume 0.01"),
    "own image": (0.98, ONE, FRICTION),
    "own image, rescaled": (
        0.98,
        ONE,
        "hertz 1e4 5 tangential mindlin_rescale/force 5e3 1 0.5 twisting marshall",
    ),
}
ROUND_OFF = 1e-10


@pytest.mark.parametrize("slider", ["csds", "dsds"])
@pytest.mark.parametrize("contact", CONTACTS.values(), ids=CONTACTS)
def test_lists_and_ranks_do_not_matter_in_a_thin_box(contact, slider):
    width, what, model = contact

    def run(newton: str, every: int, ranks: int = 1) -> np.ndarray:
        script = THIN.format(
            newton=newton, every=every, width=width, model=f"{model} slider {slider}"
        )
        return end(f"processors 1 * 1\n{script}{what}", ranks=ranks)

    one_list = run("on", 100_000)
    spins = one_list[:, 6:]
    assert np.abs(spins - np.round(spins)).max() > 0.1
    scale = np.abs(one_list).max()
    for newton, every, ranks in (
        ("on", 10, 1),
        ("off", 10, 1),
        ("off", 3, 1),
        ("on", 7, 2),
        ("off", 7, 2),
    ):
        other = run(newton, every, ranks)
        assert np.abs(other[:, 3:] - one_list[:, 3:]).max() <= ROUND_OFF * scale, (
            newton,
            every,
            ranks,
        )


def test_images_are_told_apart_across_a_restart(tmp_path):
    def script(newton: str) -> str:
        return THIN.format(newton=newton, every=5, width=1.2, model=FRICTION)

    for newton in ("on", "off"):
        one_list = script(newton).replace("every 5", "every 100000")
        whole = end(one_list + TWO)
        engine.run(
            f"{script(newton)}{TWO.replace('run 2000', 'run 300')}write_restart {tmp_path}/r"
        )
        again = f"newton {newton}\nread_restart {tmp_path}/r\nneighbor 0.3 bin\n"
        again += "neigh_modify every 5 delay 0 check no\nfix move all nve/sphere\ntimestep 1e-4\n"
        assert np.abs(end(f"{again}run 1700\n")[:, 3:] - whole[:, 3:]).max() <= ROUND_OFF


# ----------------------------------------------------------------------- moving between ranks

LARGE = """
units lj
atom_style sphere
newton {newton}
boundary p p p
comm_modify vel yes cutoff 9
processors 2 2 1
read_data {grains}
pair_style granular/plus ledger yes
pair_coeff * * hooke 100 0 tangential linear_history 50 1 0.5
neighbor 0.5 bin
neigh_modify every 1 delay 0 check no
"""


@pytest.mark.parametrize("newton", ["on", "off"])
def test_a_grain_with_hundreds_of_contacts_crosses_a_corner(newton, tmp_path):
    """The rank that receives the grain has had no contacts so far."""
    count = 500
    k = np.arange(count) + 0.5
    polar, azimuth = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
    place = 6.29 * np.stack(
        [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)], axis=1
    )
    # in one exchange, the grain crosses rank boundaries in both x and y
    start = np.vstack([np.zeros(3), place]) - (0.005, 0.005, 0.0)
    grains = packings.write_spheres(
        tmp_path / "grains.data",
        [(-20, 20), (-20, 20), (-10, 10)],
        start,
        diameter=[12.0] + count * [0.6],
        velocity=(1.0, 1.0, 0.0),
    )
    script = LARGE.format(newton=newton, grains=grains)
    script += "timestep 1e-3\nfix move all nve/sphere\nthermo 1\nrun 30\n"
    one = end(script.replace("processors 2 2 1", ""))
    four = end(script, ranks=4)
    assert np.abs(one[:, 3:] - four[:, 3:]).max() <= ROUND_OFF
    assert np.abs(one[:, 6:]).max() > 0.0 or np.ptp(one[:, 3]) > 0.0


# ----------------------------------------------------------------------------- IDs, fixes, errors

THREE = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
boundary p p p
comm_modify vel yes
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single 0.99 0 0
create_atoms 1 single 0 1.05 0
set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * hooke 1e3 5 tangential linear_nohistory 1 0.5 bridge willett/simple 1 20 volume 0.01
neighbor 0.3 bin
timestep 1e-4
fix move all nve/sphere
run 1
group gone id 2
"""


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize(
    "change",
    [
        "delete_atoms group gone compress yes",
        "delete_atoms group gone compress no\nreset_atoms id",
        "set atom 3 image 0 0 0\ngroup last id 3\ndelete_atoms group last compress no\n"
        "create_atoms 1 single 0.3 1.01 0\nset atom 3 diameter 1 density 1",
    ],
    ids=["compress", "reset", "newcomer"],
)
def test_a_bridge_does_not_pass_to_another_grain(change, newton):
    script = THREE.format(newton=newton)
    if "newcomer" in change or "last" in change:
        script = script.replace("single 0 1.05 0", "single 0 0.99 0")
        change += "\ngroup second id 2\ndelete_atoms group second compress no"
    script += f"{change}\nvelocity all set 0 0 0\nrun 0\n"
    script += "write_dump all custom forces fx fy fz\n"
    forces = engine.run(script).dump("forces")[["fx", "fy", "fz"]].to_numpy(float)
    assert (forces == 0.0).all()


# ---------------------------------------------------------------------------- order of commands

RAIN = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
boundary p p f
comm_modify vel yes
lattice sc 1 origin 0.5 0.5 0.5
region box block 0 6 0 6 0 8
region bed block 0 6 0 6 0 2.9
region top block 1 5 1 5 5 7
create_box 1 box
create_atoms 1 region bed
set group all diameter 1.02 density 1
velocity all create 5 4711 loop geom
neighbor 0.2 bin
fix move all nve/sphere
"""
PAIR = f"pair_style granular/plus\npair_coeff * * {FRICTION} rolling sds 1e3 1 0.2\n"
FLOOR = f"fix floor all wall/granular/plus {FRICTION} zplane 0 NULL\n"
FALL = """
fix weight all gravity 10 vector 0 0 -1
timestep 5e-4
run 150
write_restart again
run 150
"""
DISTURBING = {
    "pour": "fix first all pour 30 1 3123 region top diam one 0.9 dens 1 1 vol 0.3 50"
    " vel -3 3 -3 3 -5",
    "deposit": "fix first all deposit 20 1 20 4711 region top near 1.0 vz -5 -5",
    "evaporate": "fix first all evaporate 50 3 bed 1234",
    "balance": "fix first all balance 100 1.0 shift xyz 10 1.0",
}


@pytest.mark.parametrize(("ranks", "newton"), [(1, "off"), (2, "on")])
@pytest.mark.parametrize("fix", DISTURBING.values(), ids=DISTURBING)
def test_fixes_that_add_delete_or_move_atoms_stand_anywhere(fix, ranks, newton):
    head = RAIN.format(newton=newton)
    late = end(f"{head}{PAIR}{FLOOR}{fix}\n{FALL}", ranks=ranks)
    for early in (f"{fix}\n{PAIR}{FLOOR}", f"{FLOOR}{fix}\n{PAIR}"):
        np.testing.assert_array_equal(end(head + early + FALL, ranks=ranks), late)


def test_springs_in_a_restart_file_are_found_whatever_the_order(tmp_path):
    head = RAIN.format(newton="on")
    first = DISTURBING["balance"]
    straight = end(f"{head}{first}\n{PAIR}{FLOOR}{FALL}", folder=tmp_path)
    again = f"{head.partition('lattice')[0]}read_restart again\n"
    again += "region bed block 0 6 0 6 0 2.9\nneighbor 0.2 bin\nfix move all nve/sphere\n"
    rest = FALL.partition("write_restart again\n")
    weight = rest[0].replace("run 150\n", "")
    for fixes in (f"{first}\n{PAIR}{FLOOR}", f"{PAIR}{FLOOR}{first}\n"):
        continued = end(again + fixes + weight + rest[2], folder=tmp_path)
        np.testing.assert_array_equal(continued, straight)


INTERRUPTED = """
run 150
{0}
run 150
"""


@pytest.mark.parametrize("newton", ["on", "off"])
def test_a_run_that_an_error_has_ended_goes_on_as_it_stood(packing, tools, newton):
    pair = f"pair_style granular/plus\npair_coeff * * {FRICTION}"
    script = f"{tools.one_list}{pair}{tools.move}"
    variables = packing.variables(newton)
    script = script.replace("${newton}", newton).replace("${packing}", variables["packing"])
    found = []
    for interrupted in (False, True):
        with engine.Session() as session:
            session.commands(script)
            if interrupted:
                session.command("variable late equal step>=150")
                session.command("fix stop all halt 150 v_late == 1 error hard")
                with pytest.raises(engine.LammpsError):
                    session.command("run 400")
                session.command("unfix stop")
            else:
                session.command("run 150")
            session.command("run 150")
            found.append(session.atoms("x", "v", "omega").to_numpy(float))
    assert np.abs(found[0] - found[1]).max() <= 1e-10


# ------------------------------------------------------------------ a ledger is opened or closed


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("way", ["between runs", "at a restart", "closed between runs"])
def test_springs_stay_when_a_ledger_is_opened_or_closed(packing, tools, tmp_path, way, ranks):
    model = "hertz 4e5 200 tangential mindlin 3e5 1 0.3 rolling sds 5e3 2 0.2 twisting marshall"
    first, then = ("yes", "no") if "closed" in way else ("no", "yes")
    pair = f"pair_style granular/plus ledger {first}\npair_coeff * * {model}"
    begin = f"{tools.setup}{pair}{tools.move}run 100\n"
    whole = packing.run(f"{begin}run 100\n{tools.dump_command('end')}", ranks=ranks).dump("end")
    change = f"pair_style granular/plus ledger {then}\n"
    if way == "at a restart":
        packing.run(f"{begin}write_restart {tmp_path}/r", ranks=ranks)
        begin = (
            f"read_restart {tmp_path}/r\nneighbor 0.15 bin\nneigh_modify every 20 delay 0 check no"
        )
        change += f"pair_coeff * * {model}{tools.move}"
    audit = (
        ""
        if then == "no"
        else "compute books all granular/ledger\nthermo_style custom step c_books[*]\n"
    )
    audited = packing.run(
        f"{begin}\n{change}{audit}run 100\n{tools.dump_command('end')}", ranks=ranks
    )
    assert "without history" not in audited.log
    assert max(tools.difference(whole, audited.dump("end")).values()) <= 1e-10
