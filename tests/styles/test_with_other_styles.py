"""Combined with other LAMMPS commands, pair granular/plus behaves like pair granular."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import pair_local

TOLERANCE = 1e-10  # as in test_superset.py
ONE = "2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
TWO = "3e4 18 damping mass_velocity tangential linear_history 2e4 1.0 0.5"
STYLES = {"granular": "", "granular/plus": "slider dsds"}
OF_LAMMPS = "granular/plus list lammps"  # the same neighbour lists as in pair granular


def both(function):
    return [function(style, slider) for style, slider in STYLES.items()]


def uniform(style: str, slider: str) -> str:
    return f"pair_style {style}\npair_coeff * * hooke {ONE} {slider}"


def mixed(style: str, slider: str) -> str:
    return f"""pair_style {style}
pair_coeff 1 1 hooke {ONE} {slider}
pair_coeff 2 2 hooke {TWO} {slider}"""


@pytest.mark.parametrize(
    "commands",
    [
        "neigh_modify exclude type 1 2",
        "group some id 100:250\nneigh_modify exclude group some all",
        "comm_style tiled\nbalance 1.0 rcb",
        "neigh_modify every 1 delay 0 check yes",
        "neigh_modify every 1 delay 0 check no",
        "neighbor 0.15 multi\ncomm_modify mode multi vel yes",
    ],
    ids=lambda text: text.splitlines()[-1],
)
@pytest.mark.parametrize("ranks", [1, 2])
def test_neighbour_lists_and_communication(packing, tools, commands, ranks):
    setup = f"{tools.setup}\n{commands}"
    # with comm_style tiled, LAMMPS has no reverse communication of variable size
    newton = "off" if "tiled" in commands else "on"

    def end(style, slider):
        script = f"{setup}\n{mixed(style, slider)}{tools.move}run 200\n{tools.dump_command('end')}"
        return packing.run(script, ranks=ranks, newton=newton).dump("end")

    assert max(tools.difference(*both(end)).values()) <= TOLERANCE


@pytest.mark.parametrize("ranks", [1, 2])
def test_rigid_bodies_collide_with_the_mass_of_the_body(packing, tools, ranks):
    move = """
group one id 110:116
group two id 200 201 207 208 235 236
group bodies union one two
group free subtract all bodies
neigh_modify exclude group one one
neigh_modify exclude group two two
fix rigid bodies rigid group 2 one two
fix move free nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor bottom freeze
timestep 1e-4
"""
    ends = both(lambda *s: packing.end(mixed(*s), move=move, ranks=ranks))
    assert max(tools.difference(*ends).values()) <= TOLERANCE


def test_discs_in_two_dimensions(tools, packing):
    script = """
units lj
dimension 2
atom_style sphere
atom_modify map array
boundary p f p
comm_modify vel yes
newton ${newton}
lattice sq 0.8
region box block 0 12 0 20 -0.5 0.5
create_box 2 box
region fill block 0 11.9 1 15 -0.5 0.5
create_atoms 1 region fill
displace_atoms all random 0.1 0.1 0 8123
set group all diameter 1.15 density/disc 1
set type 1 type/fraction 2 0.4 9973
velocity all create 1.0 4711
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
"""
    move = "\nfix move all nve/sphere disc\nfix flat all enforce2d\ntimestep 1e-4\nrun 200\n"

    def end(style, slider):
        return packing.run(script + mixed(style, slider) + move + tools.dump_command("end")).dump(
            "end"
        )

    ends = both(end)
    assert max(tools.difference(*ends).values()) <= TOLERANCE
    assert (ends[1][["fz", "tqx", "tqy"]].to_numpy() == 0.0).all()
    assert np.abs(ends[1]["tqz"]).max() > 0.0


BONDED = """
units lj
atom_style hybrid sphere bond
atom_modify map array
boundary p p p
comm_modify vel yes
newton ${{newton}}
region box block 0 8 0 8 0 8
create_box 1 box bond/types 1 extra/bond/per/atom 6 extra/special/per/atom 60
lattice sc 1.0
create_atoms 1 box
displace_atoms all random 0.05 0.05 0.05 8123
set group all diameter 1.08 density 1
special_bonds lj 0 0 0
{pair}
create_bonds many all all 1 0.5 0.98
special_bonds lj {factors}
bond_style zero
bond_coeff *
velocity all create 1.0 4711 loop geom
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
"""


@pytest.mark.parametrize("factors", ["0 0 0", "0 1 1", "0.25 0.5 0.75", "1 1 1"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_special_bonds_scale_the_force(packing, tools, factors, ranks):
    move = "\nfix move all nve/sphere\ntimestep 1e-4\nrun 200\n" + tools.dump_command("end")

    def end(style, slider):
        script = BONDED.format(factors=factors, pair=uniform(style, slider)) + move
        return packing.run(script, ranks=ranks).dump("end")

    assert max(tools.difference(*both(end)).values()) <= TOLERANCE


# Each case lists commands with granular/plus in a hybrid style. Beside them are equivalent commands
# with pair granular.
HYBRIDS = {
    "with pair granular": (
        """pair_style hybrid granular/plus granular
pair_coeff 1 * granular/plus hooke {one} slider dsds
pair_coeff 2 2 granular hooke {two}""",
        """pair_style granular
pair_coeff 1 * hooke {one}
pair_coeff 2 2 hooke {two}""",
    ),
    "twice": (
        """pair_style hybrid granular/plus granular/plus
pair_coeff 1 * granular/plus 1 hooke {one} slider dsds
pair_coeff 2 2 granular/plus 2 hooke {two} slider dsds""",
        """pair_style granular
pair_coeff 1 * hooke {one}
pair_coeff 2 2 hooke {two}""",
    ),
    "alone": (
        """pair_style hybrid granular/plus
pair_coeff * * granular/plus hooke {one} slider dsds""",
        """pair_style hybrid granular
pair_coeff * * granular hooke {one}""",
    ),
    "alone, and some pairs have none": (
        """pair_style hybrid granular/plus
pair_coeff 1 1 granular/plus hooke {one} slider dsds
pair_coeff 1 2 none
pair_coeff 2 2 granular/plus hooke {two} slider dsds""",
        # With `none`, pair granular would compute forces for these pairs, because its list contains
        # them.
        """pair_style hybrid granular zero 1.2
pair_coeff 1 1 granular hooke {one}
pair_coeff 1 2 zero
pair_coeff 2 2 granular hooke {two}""",
    ),
    "alone, all others alike": (
        """pair_style hybrid granular/plus
pair_coeff 1 1 granular/plus hooke {one} slider dsds
pair_coeff 1 2 none
pair_coeff 2 2 granular/plus hooke {one} slider dsds""",
        """pair_style hybrid granular zero 1.2
pair_coeff 1 1 granular hooke {one}
pair_coeff 1 2 zero
pair_coeff 2 2 granular hooke {one}""",
    ),
    "with lj": (
        """pair_style hybrid granular/plus lj/cut 1.2
pair_coeff 1 1 granular/plus hooke {one} slider dsds
pair_coeff 1 2 lj/cut 0.1 0.7
pair_coeff 2 2 granular/plus hooke {two} slider dsds""",
        """pair_style hybrid granular lj/cut 1.2
pair_coeff 1 1 granular hooke {one}
pair_coeff 1 2 lj/cut 0.1 0.7
pair_coeff 2 2 granular hooke {two}""",
    ),
    "over zero": (
        """pair_style hybrid/overlay granular/plus zero 1.2
pair_coeff * * granular/plus hooke {one} slider dsds
pair_coeff * * zero""",
        """pair_style granular
pair_coeff * * hooke {one}""",
    ),
    "over lj": (
        """pair_style hybrid/overlay lj/cut 1.2 granular/plus
pair_coeff * * lj/cut 0.01 0.7
pair_coeff * * granular/plus hooke {one} slider dsds""",
        """pair_style hybrid/overlay lj/cut 1.2 granular
pair_coeff * * lj/cut 0.01 0.7
pair_coeff * * granular hooke {one}""",
    ),
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("pairs", HYBRIDS.values(), ids=HYBRIDS)
def test_hybrid_styles(packing, tools, pairs, ranks):
    ends = [packing.end(pair.format(one=ONE, two=TWO), ranks=ranks) for pair in pairs]
    assert max(tools.difference(*ends).values()) <= TOLERANCE


def test_run_0_gives_the_forces_of_pair_granular(packing, tools):
    """Forces nearly cancel, so round-off matters.

    Both styles use LAMMPS's neighbour list and therefore add forces in the same order.
    """
    ends = [packing.end(mixed("granular", ""), steps=0)]
    ends.append(packing.end(mixed(OF_LAMMPS, "slider dsds"), steps=0))
    assert max(tools.difference(*ends).values()) <= 1e-13


def test_pressure_and_stress_are_those_of_pair_granular(packing, tools):
    output = """
thermo 50
thermo_style custom step press pxx pyy pzz pxy pxz pyz ke
thermo_modify format float %.17g
compute stress all stress/atom NULL pair
dump stress all custom 200 stress id c_stress[*]
dump_modify stress format float %.17g sort id
run 200
"""
    runs = both(lambda *s: packing.run(f"{tools.setup}{mixed(*s)}{tools.move}{output}"))
    one, other = (run.thermo.drop(columns="run").to_numpy() for run in runs)
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-10 * np.abs(one[:, 1]).max())
    one, other = (run.dump("stress").to_numpy() for run in runs)
    assert np.abs(one[:, 2:]).max() > 0
    np.testing.assert_allclose(other, one, rtol=0, atol=1e-10 * np.abs(one[:, 2:]).max())


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    "source",
    [
        "fix rain all pour 60 1 8123 region rain diam one 0.6 dens 1 1 vel 0 0 0 0 -40",
        "fix rain all deposit 60 1 5 8123 region rain near 1.0 vz -40 -40",
    ],
    ids=["pour", "deposit"],
)
def test_grains_that_come_in_while_it_runs(packing, tools, source, ranks):
    move = f"""
region rain block 0.5 6.5 0.5 4.5 12 16.5
{source}
{tools.move}
"""
    ends = both(lambda *s: packing.end(mixed(*s), move=move, steps=400, ranks=ranks))
    assert len(ends[0]) == 525 + 60
    assert max(tools.difference(*ends).values()) <= 10 * TOLERANCE


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
def test_setup_leaves_springs_alone(packing, tools, slider):
    """In contrast, pair granular resets the springs of sliding contacts at every setup."""
    start = tools.setup + mixed("granular/plus", f"slider {slider}") + tools.move
    ends = [
        packing.run(f"{start}run 100\n{between}\nrun 100\n{tools.dump_command('end')}").dump("end")
        for between in ("", "run 0\nrun 0")
    ]
    assert ends[0].equals(ends[1])


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
def test_a_run_in_pieces_is_one_run(packing, tools, slider):
    start = tools.setup + mixed("granular/plus", f"slider {slider}") + tools.move
    ends = [
        packing.run(f"{start}{runs}\n{tools.dump_command('end')}").dump("end")
        for runs in ("run 200", "run 70 post no\nrun 50 pre no post no\nrun 80 pre no")
    ]
    assert max(tools.difference(*ends).values()) <= TOLERANCE


CONTACTS = f"""
compute contact all pair/local {pair_local("friction_x", "friction_y", "friction_z")} cutoff radius
compute pair all property/local patom1 patom2 cutoff radius
dump contacts all local 1000 {{file}} c_pair[*] c_contact[*]
dump_modify contacts first yes format float %.17g
run 0 post no
undump contacts
uncompute contact
uncompute pair
"""


@pytest.mark.parametrize(
    "between",
    [
        "group lost id 300:330\ndelete_atoms group lost compress no",
        "create_atoms 1 single 1 1 16.5 units box",
        "displace_atoms all move 0 2.3 0",
        "change_box all z final 0 25",
        "timestep 3e-5",
        "balance 1.0 shift z 5 1.1",
        "neighbor 0.3 bin",
        "run 0",
        "unfix weight\nfix weight all gravity 1 vector 0 0 -1",
        "fix more all store/state 0 x",
        "minimize 0 0 0 0",
        "pair_coeff 1 1 hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    ],
)
@pytest.mark.parametrize("ranks", [1, 2])
def test_springs_survive_what_happens_between_runs(packing, tools, between, ranks):
    script = tools.setup + mixed("granular/plus", "") + tools.move + "run 200\n"
    script += CONTACTS.format(file="before") + between + CONTACTS.format(file="after")
    run = packing.run(script, ranks=ranks)

    def friction(name):
        table = run.dump(name).to_numpy()[:, 1:]
        return {tuple(sorted(row[:2])): (1 if row[0] < row[1] else -1) * row[2:] for row in table}

    before, after = friction("before"), friction("after")
    assert len(after) > 500
    scale = np.abs(list(before.values())).max()
    assert scale > 0
    assert set(after) <= set(before)
    if "delete" not in between:
        assert set(after) == set(before)
    error = max(np.abs(after[pair] - before[pair]).max() for pair in after)
    assert error <= 1e-10 * scale


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("newton", ["on", "off"])
def test_springs_follow_atoms_that_get_new_ids(packing, tools, newton, ranks):
    """By default, delete_atoms renumbers atoms."""
    start = (
        tools.setup + mixed("granular/plus", "") + tools.move + "run 200\ngroup lost id 300:330\n"
    )
    dump = "run 0\nwrite_dump all custom {} x y z fx fy fz modify format float %.17g\n"
    places = []
    for compress in ("no", "yes"):
        script = start + f"delete_atoms group lost compress {compress}\n" + dump.format("end")
        table = packing.run(script, newton=newton, ranks=ranks).dump("end")
        places.append(
            table.sort_values(["x", "y", "z"])[["x", "y", "z", "fx", "fy", "fz"]].to_numpy()
        )
    assert np.array_equal(places[0][:, :3], places[1][:, :3])
    force = places[0][:, 3:]
    assert np.abs(places[1][:, 3:] - force).max() <= 1e-12 * np.abs(force).max()


# Two small grains move farther than the skin in ten steps. A third grain is large.
MEET = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton {newton}
boundary f f f
region box block 0 20 0 20 0 20
create_box 2 box
create_atoms 1 single 5 5 5
create_atoms 1 single 6.24 5 5
create_atoms {large} single 15 15 15
set atom 1*2 diameter 1
set atom 3 diameter 4
set group all density 1
set atom 2 vx -32
fix film all property/atom d_film ghost yes
set group all d_film 2e-3
timestep 1e-3
neighbor 0.1 bin
neigh_modify every 1 delay {delay} check {check}
pair_style {style}
pair_coeff * * {law}
fix move all nve/sphere
variable gap equal x[2]-x[1]-1
thermo 1
thermo_style custom step v_gap fmax
thermo_modify format float %.17g
run 20
"""
JKR = "jkr 1e5 50 0.3 1 tangential linear_history 1e4 1 0.5"
HERTZ = "hertz 1e4 50 tangential linear_history 1e4 1 0.5"


def meet(law, style="granular/plus", newton="off", large=1, delay=10, check="yes"):
    given = {"newton": newton, "large": large, "delay": delay, "check": check}
    return engine.run(MEET.format(law=law, style=style, **given)).thermo


@pytest.mark.parametrize("large", [1, 2], ids=["one type", "two types"])
def test_adhesion_begins_at_the_step_at_which_it_does_in_granular(large):
    granular = meet(JKR, "granular", large=large)
    plus = meet(f"{JKR} slider dsds", OF_LAMMPS, large=large)
    assert (granular["Fmax"] > 0.0).any()
    np.testing.assert_array_equal(plus["Fmax"] > 0.0, granular["Fmax"] > 0.0)
    np.testing.assert_allclose(plus["v_gap"], granular["v_gap"], rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize(
    "law",
    [
        JKR,
        f"{HERTZ} bridge willett 0.7 20 volume 1e-3",
        f"{HERTZ} bridge willett/simple 0.7 20 volume 1e-3",
        f"{HERTZ} bridge willett 0.7 20 film",
        f"{HERTZ} bridge willett/simple 0.7 20 film",
    ],
    ids=["jkr", "willett", "willett/simple", "film", "film simple"],
)
def test_what_acts_across_a_gap_begins_at_touch_whenever_lists_are_made(law, newton):
    late = meet(law, newton=newton)
    every_step = meet(law, newton=newton, delay=0, check="no")
    assert (every_step["v_gap"][every_step["Step"] < 8] > 0.0).all()
    assert (every_step["Fmax"][every_step["Step"] >= 8] > 0.0).all()
    np.testing.assert_array_equal(late, every_step)


@pytest.mark.parametrize(
    "pair",
    [
        f"pair_style granular/plus\npair_coeff * * {JKR}",
        f"pair_style granular/plus\npair_coeff * * {HERTZ} bridge willett 0.7 20 volume 1e-3",
        "pair_style hybrid/overlay granular/plus 4 capillary/willett\n"
        f"pair_coeff * * granular/plus {HERTZ}\n"
        "pair_coeff * * capillary/willett 0.7 20 volume 1e-3",
    ],
    ids=["jkr", "bridge", "bridges on top"],
)
@pytest.mark.parametrize("compute", ["fabric radius contact", "rattlers/atom radius 0 100"])
def test_computes_that_know_only_touch_are_refused_where_contacts_reach_further(
    lammps_error, pair, compute
):
    """The computes would omit pairs that attract each other across a gap."""
    script = MEET.format(law="", style="", newton="off", large=1, delay=10, check="yes")
    head = script.split("pair_style")[0]
    compute = f"compute seen all {compute}\nthermo_style custom step"
    assert "beyond contact" in lammps_error(f"{head}{pair}\n{compute}\nrun 0")
    engine.run(f"{head}{pair}\npair_style granular/plus\npair_coeff * * {HERTZ}\n{compute}\nrun 0")
