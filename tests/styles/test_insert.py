"""Inserted grains have the right sizes, numbers and rates, and do not overlap.

The results do not depend on restarts and ranks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, shapes

LAW = "hooke 2e4 15 tangential linear_history 1e4 0.8 0.3"
HEAD = """
units lj
atom_style sphere
boundary {boundary}
newton {newton}
comm_modify vel yes
region box {box}
create_box 3 box
pair_style granular/plus
pair_coeff * * {law}
"""
MOVE = "fix move all nve/sphere\ntimestep 1e-3\n"
SIEVE = "sieve 0.5 0 0.7 0.3 1.0 0.8 1.2 1"
FEED = "fix feed all granular/insert region above seed 4711 "
ONE = "species 1 density 1 diameter one 1.0"
TWO = f"species 1 density 1.0 diameter {SIEVE} species 2 density 2 diameter one 0.6 fraction 0.5"
PLACES = "id type x y z vx vy vz radius mass"
BOX = "block 0 10 0 10 -40 20"


def script(
    feed: str, *, box=BOX, boundary="p p f", newton="on", region="", place="region above"
) -> str:
    region = region or "region above block 0 10 0 10 12 19"
    head = HEAD.format(box=box, boundary=boundary, newton=newton, law=LAW)
    return f"{head}{region}\n{FEED.replace('region above', place)}{feed}\n{MOVE}"


def grains(text: str, **options: object) -> pd.DataFrame:
    dump = f"write_dump all custom grains.dump {PLACES} modify format float %.17g"
    found = engine.run(f"{text}\n{dump}", **options).dump("grains.dump")
    return found.sort_values("id").reset_index(drop=True)


def test_the_sieve_curve_is_that_of_the_table():
    text = script(
        f"number 100000 every 1 species 1 density 1 diameter {SIEVE}",
        box="block 0 100 0 100 0 100",
        region="region above block 0 100 0 100 0 100",
    )
    found = grains(f"{text}run 1", timeout=300)
    assert len(found) == 100_000
    for count in (100_000, 10_000, 1000):
        size = 2.0 * found["radius"][:count]
        mass = found["mass"][:count]
        np.testing.assert_allclose(mass, np.pi / 6.0 * size**3, rtol=1e-12)
        # the largest grain has 0.003 % of the mass of all 100,000 grains
        tolerance = 0.002 if count == 100_000 else 2.0 * mass.max() / mass.sum()
        for opening, passing in ((0.5, 0.0), (0.6, None), (0.7, 0.3), (1.0, 0.8), (1.2, 1.0)):
            if passing is None:  # interpolate between 0.5 and 0.7 on a logarithmic axis
                passing = 0.3 * np.log(0.6 / 0.5) / np.log(0.7 / 0.5)
            finer = mass[size <= opening * (1.0 + 1e-12)].sum() / mass.sum()
            assert finer == pytest.approx(passing, abs=tolerance), (count, opening)


@pytest.mark.parametrize(
    ("law", "passing"),
    [
        ("uniform 0.5 1.5", lambda d: d - 0.5),
        ("rosin_rammler 1.0 3 0.5 1.5", lambda d: -np.expm1(-(d**3))),
        ("lognormal 0.9 1.3 0.5 1.5", None),
    ],
)
def test_laws_by_mass(law, passing):
    if passing is None:
        from scipy.special import ndtr

        def passing(d):
            return ndtr(np.log(d / 0.9) / np.log(1.3))

    text = script(
        f"number 20000 every 1 species 1 density 1 diameter {law}",
        box="block 0 60 0 60 0 60",
        region="region above block 0 60 0 60 0 60",
    )
    found = grains(f"{text}run 1", timeout=300)
    size, mass = 2.0 * found["radius"], found["mass"]
    for opening in np.linspace(0.6, 1.4, 9):
        expected = (passing(opening) - passing(0.5)) / (passing(1.5) - passing(0.5))
        assert mass[size <= opening].sum() / mass.sum() == pytest.approx(expected, abs=0.002)


def test_species_share_the_mass():
    found = grains(script(f"mass 100 every 1 {TWO}") + "run 100")
    masses = found.groupby("type")["mass"].sum()
    largest = found["mass"].max()
    assert found["mass"].sum() == pytest.approx(100.0, abs=0.5 * largest)
    assert masses[1] == pytest.approx(2.0 * masses[2], abs=2.0 * largest)
    np.testing.assert_allclose(found["mass"][found["type"] == 2], 2.0 * np.pi / 6.0 * 0.6**3)


CHANGES = {
    "none": "run 1950",
    "shorter": "run 950\ntimestep 1e-4\nrun 1000",
    "longer": "run 950\ntimestep 5e-3\nrun 1000",
    "in every step": "fix change all dt/reset 7 1e-4 4e-3 0.02 units box\nrun 1950",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_rate_is_kept_while_the_time_step_changes(change):
    """The number of inserted grains is the rate times LAMMPS's `time`, rounded to whole grains."""
    text = script(f"number 100000 rate 50 every 100 velocity 0 0 -8 {ONE}")
    run = engine.run(
        f"""{text}
compute_modify thermo_temp dynamic/dof yes
thermo_style custom step time f_feed[1]
thermo_modify norm no lost ignore format float %.17g
thermo 1
{CHANGES[change]}
"""
    )
    fed = run.thermo["f_feed[1]"].to_numpy()
    time = run.thermo["Time"].to_numpy()
    steps = run.thermo["Step"].to_numpy()
    inserted = np.flatnonzero((steps % 100 == 1) & (steps > 1))
    assert len(inserted) >= 19
    begun = time[np.flatnonzero(steps == 1)[0]]
    for k in inserted:
        assert abs(fed[k] - 50 * time[k]) <= 0.5 + 50 * begun, steps[k]
    assert fed[-1] > 20


def test_after_a_restart_another_rate_counts_from_there_on():
    feed = f"number 100000 rate {{}} every 1000 velocity 0 0 -8 {ONE}"
    first = engine.run(f"{script(feed.format(50))}run 950\nwrite_restart half.restart\n")
    again = engine.run(
        f"""read_restart {first.folder}/half.restart
comm_modify vel yes
region above block 0 10 0 10 12 19
{FEED}{feed.format(200)}
{MOVE}
thermo_style custom step f_feed[1]
thermo_modify lost ignore
run 1150
"""
    )
    assert again.thermo["f_feed[1]"].iloc[-1] == pytest.approx(0.95 * 50 + 1.051 * 200, abs=1.0)


@pytest.mark.parametrize("by", ["mass", "number"])
def test_a_rate_is_kept_within_one_grain(by):
    total, rate = (100.0, 50.0) if by == "mass" else (200, 100)
    text = script(f"{by} {total} rate {rate} every 50 velocity 0 0 -8 {TWO}")
    output = "thermo_style custom step f_feed[*]\nthermo_modify format float %.17g\nthermo 50\n"
    table = engine.run(f"{text}{output}run 2600").thermo
    fed = table["f_feed[2]" if by == "mass" else "f_feed[1]"].to_numpy()
    largest = np.pi / 6.0 * 1.2**3 if by == "mass" else 1.0
    # Grains are inserted in steps 1, 51, and so on. Therefore, the amount in step 50 n is the
    # amount that was due in step 50 n - 49.
    steps = table["Step"].to_numpy()
    due = np.minimum(total, rate * 1e-3 * np.maximum(steps - 49, 0))
    assert np.abs(fed - due).max() <= 0.5 * largest * (1.0 + 1e-12)
    assert fed[-1] == pytest.approx(total, abs=0.5 * largest)


@pytest.mark.parametrize("box", [BOX, "prism 0 10 0 10 -40 20 2 0 0"])
@pytest.mark.parametrize("newton", ["on", "off"])
def test_any_number_of_ranks_gives_the_same_grains(box, newton):
    """As long as grains have not moved, their positions are equal bit for bit."""
    feed = f"mass 150 rate 400 every 40 {TWO}"
    for steps, exact in ((1, True), (300, False)):
        ends = [
            grains(script(feed, box=box, newton=newton) + f"run {steps}", ranks=ranks)
            for ranks in (1, 2, 4)
        ]
        for other in ends[1:]:
            columns = PLACES.split() if exact else ["id", "type", "radius", "mass"]
            pd.testing.assert_frame_equal(ends[0][columns], other[columns], check_exact=True)
            np.testing.assert_allclose(ends[0][["x", "y", "z"]], other[["x", "y", "z"]], atol=1e-8)


@pytest.mark.parametrize("ranks", [1, 2])
def test_it_goes_on_after_a_restart_in_the_midst(tmp_path, ranks):
    text = script(f"mass 150 rate 200 every 40 velocity 0 0 -4 {TWO}")
    whole = grains(f"{text}run 250\nwrite_restart {tmp_path}/midst\nrun 350", ranks=ranks)
    again = f"comm_modify vel yes\nread_restart {tmp_path}/midst\n"
    feed = "region above block 0 10 0 10 12 19\n" + text[text.index(FEED) :]
    pieces = grains(f"{again}{feed}run 350", ranks=ranks)
    assert len(whole) > 200
    pd.testing.assert_frame_equal(whole, pieces, check_exact=ranks == 1, atol=1e-9, rtol=0.0)


WALLS = {
    "plane": f"fix wall all wall/granular/plus {LAW} zplane 12.6 NULL\n",
    "cylinder": f"fix wall all wall/granular/plus {LAW} zcylinder 6\n",
    "region": "region pipe cylinder z 5 5 4.2 INF INF side in\n"
    f"fix wall all wall/granular/plus {LAW} region pipe\n",
    "none": "",
}


def overlaps(found: pd.DataFrame, edges: np.ndarray, periodic: tuple[bool, bool, bool]) -> float:
    place, radius = found[["x", "y", "z"]].to_numpy(), found["radius"].to_numpy()
    deepest = -np.inf
    for shift in itertools.product(*[(-1, 0, 1) if one else (0,) for one in periodic]):
        apart = place[:, None] - place[None] + np.array(shift) @ edges
        touch = radius[:, None] + radius[None] - np.linalg.norm(apart, axis=2)
        if not any(shift):
            np.fill_diagonal(touch, -np.inf)
        deepest = max(deepest, touch.max())
    return deepest


def scene_without_overlap(seed: int, run: Callable[..., pd.DataFrame] = grains) -> None:
    random = np.random.default_rng(seed)
    sides = random.uniform(3.0, 9.0, 3)
    periodic = tuple(bool(one) for one in random.integers(0, 2, 3))
    tilt = float(random.choice([0.0, 0.3 * sides[0]])) if periodic[0] and periodic[1] else 0.0
    low, high = 0.1 * sides, sides * random.uniform(0.6, 0.9, 3)
    if periodic[0] and not tilt:
        low[0], high[0] = 0.0, sides[0]
    shape = str(random.choice(["block", "sphere", "cylinder"]))
    middle, half = 0.5 * (low + high), 0.5 * (high - low).min()
    region = {
        "block": "block " + " ".join(f"{a} {b}" for a, b in zip(low, high, strict=True)),
        "sphere": f"sphere {middle[0]} {middle[1]} {middle[2]} {half}",
        "cylinder": f"cylinder z {middle[0]} {middle[1]} {half} {low[2]} {high[2]}",
    }[shape]
    size = random.uniform(0.3, 0.9)
    floor = low[2] + 0.3 * (high[2] - low[2])
    text = HEAD.format(
        box=("prism" if tilt else "block")
        + " "
        + " ".join(f"0 {side}" for side in sides)
        + (f" {tilt} 0 0" if tilt else ""),
        boundary=" ".join("p" if one else "f" for one in periodic),
        newton=str(random.choice(["on", "off"])),
        law=LAW,
    )
    text += f"region above {region}\n"
    if not periodic[2]:
        text += f"fix wall all wall/granular/plus {LAW} zplane {floor} NULL\n"
    text += f"{FEED.replace('4711', str(seed + 1))}number 400 every 1 tries 100 "
    text += f"species 1 density 1 diameter uniform {0.4 * size} {size}\n"
    # grains hardly move, so later insertions must avoid grains inserted earlier
    text += "timestep 1e-9\n"
    found = run(f"{text}run 3", ranks=int(random.choice([1, 1, 1, 2])))
    if found.empty:
        return
    edges = np.diag(sides)
    edges[1, 0] = tilt
    assert overlaps(found, edges, periodic) <= 1e-12
    place, radius = found[["x", "y", "z"]].to_numpy(), found["radius"].to_numpy()
    assert periodic[2] or (np.abs(place[:, 2] - floor) >= radius * (1.0 - 1e-12)).all()
    rounding = 1e-9
    if shape == "sphere":
        # a spherical region may reach across the periodic faces of a tilted box
        shifts = [n * edges[0] for n in (-1, 0, 1)]
        away = np.min([np.linalg.norm(place + one - middle, axis=1) for one in shifts], axis=0)
        assert (away + radius <= half + rounding).all()
    else:
        assert (place[:, 2] - radius >= low[2] - rounding).all()
        assert (place[:, 2] + radius <= high[2] + rounding).all()


@pytest.mark.parametrize("seed", range(40))
def test_no_grain_overlaps(seed):
    scene_without_overlap(seed)


@pytest.mark.long
def test_no_grain_overlaps_in_many_scenes():
    with engine.Session() as session:

        def run(text: str, **_: object) -> pd.DataFrame:
            session.command("clear")
            session.commands(text)
            return session.atoms("x", "radius")

        for seed in range(1000, 11_000):
            scene_without_overlap(seed, run)


@pytest.mark.parametrize("wall", WALLS)
def test_grains_keep_off_walls(wall):
    text = script(f"number 400 every 1 {ONE.replace('1.0', '0.8')}", boundary="f f f")
    found = grains(text.replace(FEED, WALLS[wall] + FEED) + "run 0\nrun 1")
    place = found[["x", "y", "z"]].to_numpy()
    off = {
        "plane": place[:, 2] - 12.6,
        "cylinder": 6.0 - np.hypot(place[:, 0], place[:, 1]),
        "region": 4.2 - np.hypot(place[:, 0] - 5.0, place[:, 1] - 5.0),
        "none": np.full(len(found), np.inf),
    }[wall]
    assert (np.abs(off) >= 0.4).all()
    assert len(found) > 100
    if wall == "none":
        assert (place[:, 2] < 12.9).any()
        assert (np.hypot(place[:, 0], place[:, 1]) > 5.7).any()


def test_grains_keep_off_a_mesh(tmp_path):
    corners = [(0, 0), (10, 0), (10, 10), (0, 10)]
    faces = [(0, 1, 2), (0, 2, 3)]
    text = "solid plate\n"
    for face in faces:
        text += "facet normal 0 0 1\nouter loop\n"
        text += "".join(f"vertex {corners[n][0]} {corners[n][1]} 15\n" for n in face)
        text += "endloop\nendfacet\n"
    (tmp_path / "plate.stl").write_text(text + "endsolid plate\n")
    wall = f"fix wall all wall/granular/plus {LAW} mesh {tmp_path}/plate.stl\n"
    feed = script(f"number 400 every 1 {ONE.replace('1.0', '0.8')}", boundary="f f f")
    found = grains(feed.replace(FEED, wall + FEED) + "run 0\nrun 1")
    assert len(found) > 100
    assert (np.abs(found["z"] - 15.0) >= 0.4).all()


@pytest.mark.parametrize("box", [BOX, "prism 0 10 0 10 -40 20 2 0 0"])
def test_a_region_without_ends_ends_with_the_box(box):
    text = script(
        f"number 300 every 1 {ONE}", box=box, region="region above block INF INF INF INF 10 INF"
    )
    found = grains(f"{text}run 1")
    assert len(found) == 300
    assert (found["z"] >= 10.5).all()
    assert (
        overlaps(found, np.diag([10.0, 10.0, 60.0]), (True, True, False)) <= 0.0 or "prism" in box
    )


def test_what_found_no_room_is_told_and_made_up_for():
    text = script(
        f"number 60 rate 2000 every 20 tries 50 velocity 0 0 -10 {ONE}",
        region="region above block 0 3 0 3 16 18",
    )
    output = "thermo_style custom step f_feed[*]\nthermo 100\n"
    run = engine.run(f"{text}{output}run 3000")
    table = run.thermo
    assert "no room in region above for a grain of diameter 1" in run.log
    assert re.search(r"after 50 tries; \d+ grains that are due wait for room", run.log)
    assert table["f_feed[3]"].max() > 20
    assert table["f_feed[1]"].iloc[-1] == 60
    assert table["f_feed[3]"].iloc[-1] == 0


def test_what_waits_is_told_in_good_english():
    region = "region above block 0 1.5 0 1.5 16 17.5"
    one = engine.run(f"{script(f'number 2 {ONE}', region=region)}run 1").log
    assert "1 grain that is due waits for room" in one
    assert "1 grain that is due has found no room in region above by the end of this run" in one
    mass = engine.run(f"{script(f'mass 2 {ONE}', region=region)}run 1").log
    assert re.search(r"; a mass of [.\d]+ that is due waits for room", mass)


@pytest.mark.parametrize("region", ["block 0 10 10 20 12 19", "block 5 15 -5 5 12 19"])
def test_a_region_across_a_periodic_boundary_is_in_the_box(region):
    text = script(f"number 20 {ONE}", region=f"region above {region}")
    table = engine.run(f"{text}thermo_style custom step f_feed[1]\nrun 1").thermo
    assert table["f_feed[1]"].iloc[-1] == 20


@pytest.mark.parametrize(
    ("boundary", "outside"), [("p p f", True), ("p p m", False), ("p p s", False)]
)
def test_a_region_above_a_box_that_grows_with_its_grains(boundary, outside):
    text = script(
        f"number 20 {ONE}", region="region above block 0 10 0 10 25 30", boundary=boundary
    )
    text += "thermo_style custom step f_feed[1]\nrun 1"
    if outside:
        with pytest.raises(engine.LammpsError, match="must reach into the box: along z"):
            engine.run(text)
    else:
        assert engine.run(text).thermo["f_feed[1]"].iloc[-1] == 20


CUBE = {
    "box": "block 0 6 0 6 0 6",
    "boundary": "p p p",
    "region": "region above block 0 6 0 6 0 6",
}


@pytest.mark.parametrize(
    ("law", "fill"), [("one 1", 0.22), ("uniform 0.3333 1", 0.37), ("uniform 0.1 1", 0.5)]
)
def test_how_much_of_a_place_can_be_filled(law, fill):
    feed = f"mass {fill * 6**3} every 1 species 1 density 1 diameter {law}"
    found = grains(script(feed, **CUBE) + "run 1")
    assert found["mass"].sum() / 6**3 == pytest.approx(fill, abs=0.003)


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_place_has_the_sizes_asked_for(ranks):
    text = script("mass 216 every 1 species 1 density 1 diameter uniform 0.2 1", **CUBE)
    text = text.replace("timestep 1e-3", "timestep 1e-9")
    found = grains(f"{text}run 2", ranks=ranks)
    whole = found["mass"].sum()
    assert 0.4 < whole / 216 < 0.6
    for diameter in np.linspace(0.25, 1.0, 6):
        finer = found["mass"][2 * found["radius"] <= diameter * (1 + 1e-12)].sum() / whole
        assert finer == pytest.approx((diameter - 0.2) / 0.8, abs=1.5 * found["mass"].max() / whole)


def test_a_backlog_is_told_when_it_has_doubled_and_at_the_end():
    text = script(f"mass 1e6 rate 1e4 every 1 {TWO}", region="region above block 0 3 0 3 16 18")
    text = text.replace("timestep 1e-3", "timestep 1e-3\nunfix move\n")
    log = engine.run(f"{text}run 200").log
    told = [float(mass) for mass in re.findall(r"tries; a mass of (\S+) that is due waits", log)]
    assert 5 <= len(told) <= 9
    assert all(after > 2.0 * before for before, after in itertools.pairwise(told))
    at_end = re.findall(r"a mass of (\S+) that is due has found no room .* end of this run", log)
    assert [float(mass) for mass in at_end] == pytest.approx([2000], abs=20)
    assert "no room" not in engine.run(script(f"number 20 every 1 {ONE}") + "run 3").log


@pytest.mark.parametrize(("full", "waits"), [(0.1, False), (0.3, True)])
def test_what_counts_in_a_region_is_rate_times_the_time_of_stay(full, waits):
    """The grains wait for room if they fill too large a part of the region.

    Without waiting, this part is `full`. It is the rate times the mean dwell time height/(2 speed),
    divided by the volume of the region. A single insertion fills at most 1.5 % of the region.
    """
    height, speed, every, step = 8.0, 1.0, 20, 1e-2
    rate = full * 100.0 * height / (height / (2 * speed))
    assert rate * every * step / (100.0 * height) < 0.02
    words = f"mass 1e9 rate {rate} every {every} velocity 0 0 {-speed} {ONE}"
    text = script(words, region=f"region above block 0 10 0 10 {19 - height} 19")
    text = text.replace("timestep 1e-3", f"timestep {step}")
    log = engine.run(f"{text}run 3000").log
    assert ("has found no room" in log) == waits


@pytest.mark.parametrize(
    ("mover", "warned"),
    [
        ("fix move all nve/sphere", False),
        ("fix move fed nve/sphere", False),
        ("fix move old nve/sphere", True),
        ("fix move now nve/sphere", False),
        ("", True),
    ],
    ids=["all", "its group", "another group", "dynamic group", "no fix"],
)
def test_inserted_grains_that_no_fix_moves_are_warned_of(mover, warned):
    groups = "group fed empty\ngroup old type 3\ngroup now dynamic all every 10\n"
    text = script(f"number 5 every 1 {ONE}").replace("fix feed all", f"{groups}fix feed fed")
    log = engine.run(text.replace("fix move all nve/sphere", mover) + "run 1").log
    words = "no fix moves the inserted grains, which are in group fed; add fix ID fed nve/sphere"
    assert (words in log) == warned


def test_grains_come_with_film_and_temperature():
    text = script(f"number 20 film 1e-3 temperature 350 {ONE}")
    wet = "fix film all property/atom d_film ghost yes\n"
    warm = "fix warm all property/atom temperature heatflow\n"
    dump = "dump_modify end format float %.17g\nrun 1\n"
    text = text.replace(FEED, wet + warm + FEED)
    text += "compute warmth all property/atom temperature\n"
    text += f"dump end all custom 1 end.dump id d_film c_warmth\n{dump}"
    found = engine.run(text).dump("end.dump")
    found = found[found["step"] == 1]
    assert len(found) == 20
    assert (found["d_film"] == 1e-3).all()
    assert (found["c_warmth"] == 350.0).all()


def test_the_ledger_knows_what_came_in():
    text = script(f"mass 100 rate 100 every 40 velocity 1 0 -4 {TWO}")
    text = text.replace("pair_style granular/plus", "pair_style granular/plus ledger yes")
    text += "compute ledger all granular/ledger\nthermo_style custom step c_ledger[*]\n"
    text += "thermo_modify format float %.17g\nthermo 50\nrun 1200"
    table = engine.run(text).ledger
    came = table["exchanged"].iloc[-1]
    assert came > 100.0
    assert table["residual"].abs().max() <= 1e-3 * came


BAD = {
    "region moving seed 1 number 5 " + ONE: "region moving must be at rest",
    "region half seed 1 number 5 " + ONE: "region half has no bounding box",
    "region far seed 1 number 5 "
    + ONE: "region far must reach into the box: along z it lies between 20 "
    "and 22, but the box lies between -40 and 20",
    "region above seed 1 number x " + ONE: "number: N = x must be an integer",
    "region above seed 1 number 1e3 " + ONE: "number: N = 1e3 must be an integer",
    "region above seed 1 number 9999999999 " + ONE: "N = 9999999999 must be >= 1 and <= 2147483647",
    "region above seed 1 number 5 rate fast " + ONE: "rate: R = fast must be a finite number",
    "region above seed 1 number 5 rate nan " + ONE: "rate: R = nan must be a finite number",
    "region above seed 1 number 5 velocity 0 0 up "
    + ONE: "velocity: VZ = up must be a finite number",
    "seed 1 number 5 " + ONE: "keyword region, mesh or face is missing",
    "region above number 5 " + ONE: "keyword seed is missing",
    "region above seed 0 number 5 " + ONE: "seed: SEED = 0 must be >= 1",
    "region above seed 1 " + ONE: "keyword number or mass is missing",
    "region above seed 1 number 0 " + ONE: "number: N = 0 must be >= 1",
    "region above seed 1 mass -2 " + ONE: "mass: M = -2 must be > 0",
    "region above seed 1 number 5 mass 2 " + ONE: "number or mass must be given only once",
    "region above seed 1 number 5": "keyword species is missing",
    "region above seed 1 number 5 rate 0 " + ONE: "rate: R = 0 must be > 0",
    "region above seed 1 number 5 every 0 " + ONE: "every: N = 0 must be >= 1",
    "region above seed 1 number 5 species 4 density 1 diameter one 1": "TYPE = 4 must be <= 3",
    "region above seed 1 number 5 species 1 density 0 diameter one 1": "D = 0 must be > 0",
    "region above seed 1 number 5 species 1 diameter one 1": "diameter must be density or shape",
    "region above seed 1 number 5 species 1 density 1 diameter on 1": "diameter on: known are one",
    "region above seed 1 number 5 species 1 density 1 diameter one": "diameter needs D as a number",
    "region above seed 1 number 5 species 1 density 1 diameter uniform 2 1": "= 1 must be > LO = 2",
    "region above seed 1 number 5 species 1 density 1 diameter lognormal 1 0.5 1 2": "SIGMA = 0.5",
    "region above seed 1 number 5 species 1 density 1 diameter sieve 1 0.2 2 1": "must grow from 0",
    "region above seed 1 number 5 species 1 density 1 diameter sieve 1 0 2": "the fraction passing",
    "region above seed 1 number 5 species 1 density 1 diameter sieve 1 0 2 2": "2 must be >= 0 and",
    "region above seed 1 number 5 fraction 2 " + ONE: "unknown keyword fraction",
    "region abov seed 1 number 5 " + ONE: "there is no region abov",
    "region above seed 1 number 5 film 1 " + ONE: "keyword film needs the films of grains",
    "region above seed 1 number 5 temperature 1 " + ONE: "keyword temperature needs",
}


@pytest.mark.parametrize(("words", "message"), BAD.items(), ids=range(len(BAD)))
def test_bad_words_are_named(words, message):
    regions = "variable way equal time\nregion moving sphere 5 5 5 2 move v_way NULL NULL\n"
    regions += "region half plane 0 0 5 0 0 1\nregion far block 0 10 0 10 20 22\n"
    text = script("").replace(FEED, f"{regions}fix feed all granular/insert {words} #")
    with pytest.raises(engine.LammpsError) as error:
        engine.run(f"{text}run 1")
    assert message in str(error.value)
    assert re.search("fix feed (all )?granular/insert", str(error.value))


OTHERS = {
    "the same": (TWO, False),
    "one": (ONE, True),
    "type": (TWO.replace("species 2", "species 3"), True),
    "density": (TWO.replace("density 2", "density 4"), True),
    "diameter": (TWO.replace("one 0.6", "one 0.7"), True),
    "sizes": (TWO.replace("0.7 0.3 1.0 0.8", "0.7 0.4 1.0 0.8"), True),
    "fraction": (TWO.replace("fraction 0.5", "fraction 0.6"), True),
}


@pytest.mark.parametrize(("species", "differ"), OTHERS.values(), ids=OTHERS)
def test_feeding_starts_over_with_other_species_after_a_restart(species, differ, tmp_path):
    text = script(f"mass 20 rate 200 every 40 {TWO}")
    engine.run(f"{text}run 50\nwrite_restart {tmp_path}/midst")
    again = f"comm_modify vel yes\nread_restart {tmp_path}/midst\n"
    feed = f"region above block 0 10 0 10 12 19\n{FEED}mass 20 rate 200 every 40 {species}\n"
    told = f"thermo_style custom step f_feed[2]\nrun 0\n{MOVE}"
    run = engine.run(f"{again}{feed}{told}")
    assert ("the species differ from those in the restart file" in run.log) == differ
    assert (run.thermo["f_feed[2]"].iloc[0] == 0.0) == differ


# ---------- inside a closed mesh, and through a flat mesh


def written(path, triangles) -> str:
    """Write triangles, an array of shape (n, 3, 3), to an STL file; return the path of the file."""
    lines = ["solid drawing"]
    for triangle in np.asarray(triangles, dtype=float):
        corners = "".join("vertex {:.9g} {:.9g} {:.9g}\n".format(*corner) for corner in triangle)
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    path.write_text("\n".join([*lines, "endsolid"]))
    return str(path)


def two_boxes() -> np.ndarray:
    outline = np.array([(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)], dtype=float)
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    low = np.column_stack([outline, np.zeros(6)])
    high = np.column_stack([outline, np.full(6, 3.0)])
    triangles = [[low[a], low[c], low[b]] for a, b, c in caps]
    triangles += [[high[a], high[b], high[c]] for a, b, c in caps]
    for k in range(6):
        n = (k + 1) % 6
        triangles += [[low[k], low[n], high[n]], [low[k], high[n], high[k]]]
    return np.array(triangles)


def in_the_l(x: np.ndarray, y: np.ndarray, z: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return whether spheres lie inside an L-shaped body whose inner corner is at (2, 2)."""
    inside = (x >= radius) & (x <= 4 - radius) & (y >= radius) & (y <= 4 - radius)
    inside &= (z >= radius) & (z <= 3 - radius)
    over = np.maximum(0.0, 2.0 - x), np.maximum(0.0, 2.0 - y)
    beyond = np.where((x > 2.0) & (y > 2.0), -1.0, np.hypot(*over))
    one_side = np.where(x > 2.0, 2.0 - y, np.where(y > 2.0, 2.0 - x, beyond))
    return inside & (one_side >= radius)


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_inside_of_a_closed_mesh(tmp_path, ranks):
    file = written(tmp_path / "l.stl", two_boxes())
    feed = script(
        "number 150 every 1 tries 20000 species 1 density 1 diameter uniform 0.4 0.9",
        place=f"mesh {file} scale 2 turn 90 0 0 1 offset 9 1 -5",
    )
    found = grains(f"{feed}run 1", ranks=ranks)
    assert len(found) == 150
    # transform positions back to the coordinates of the file
    x, y, z = (found["y"] - 1) / 2, -(found["x"] - 9) / 2, (found["z"] + 5) / 2
    radius = found["radius"] / 2
    assert in_the_l(*(v.to_numpy() for v in (x, y, z, radius))).all()
    # the body consists of three equal cuboids, so the expected value is 1/3
    share = ((x > 2.0) & (y < 2.0)).mean()
    assert 0.2 < share < 0.47
    assert apart(found)


def apart(found: pd.DataFrame) -> bool:
    return overlaps(found, np.full(3, 100.0), (False, False, False)) <= 0.0


@pytest.mark.parametrize("tilt", [0.0, 30.0])
def test_a_stream_through_a_face(tmp_path, tilt):
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
    file = written(tmp_path / "face.stl", [corners[[0, 1, 2]], corners[[0, 2, 3]]])
    feed = script(
        "mass 1e6 rate 8 every 100 velocity 0.5 0 -4 species 1 density 1 diameter uniform 0.4 0.8",
        place=f"face {file} turn {tilt} 1 0 0 scale 2 offset 5 5 10",
    )
    found = grains(f"{feed}run 1500")
    for name, value in (("vx", 0.5), ("vy", 0.0), ("vz", -4.0)):
        np.testing.assert_allclose(found[name], value, rtol=1e-12)
    # find where the paths of grains cross the plane of the face
    cosine, sine = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    normal, along = np.array([0.0, -sine, cosine]), np.array([0.5, 0.0, -4.0])
    at = found[["x", "y", "z"]].to_numpy() - [5.0, 5.0, 10.0]
    passed = at - np.outer(at @ normal / (along @ normal), along)
    across, up = passed[:, 0], passed @ np.array([0.0, cosine, sine])
    radius = found["radius"].to_numpy()
    # The bounds hold in the plane of the square. Seen along the velocity, the square may be
    # narrower.
    assert (np.abs(across) <= 2.0 - radius + 1e-9).all()
    assert (np.abs(up) <= 2.0 - radius + 1e-9).all()
    assert np.abs(up).max() > 1.0
    # the last of 15 insertions takes place in step 1401
    assert found["mass"].sum() == pytest.approx(8 * 1.401, abs=found["mass"].max())
    assert apart(found)


def test_a_stream_goes_on_without_gaps(tmp_path):
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
    file = written(tmp_path / "face.stl", [corners[[0, 1, 2]], corners[[0, 2, 3]]])
    feed = script(
        "number 100000 rate 200 every 100 velocity 0 0 -5 species 1 density 1 diameter one 0.5",
        place=f"face {file} scale 4 offset 5 5 15",
    )
    found = grains(f"{feed}run 4000")
    count, _ = np.histogram(found["z"], bins=np.arange(-2.0, 14.1, 1.0))
    assert count.min() > 20  # the mean number is 40
    assert count.max() < 60


@pytest.mark.parametrize("species", [1, 2])
def test_grains_with_a_shape_have_its_mass_and_any_orientation(tmp_path, species):
    """Grains are cubes of several sizes. The given diameter is that of the bounding sphere."""
    cube = shapes.cube().write(tmp_path / "cube.obj")
    more = "species 2 density 3 diameter one 0.8 fraction 1" if species == 2 else ""
    text = script(
        f"number 200 every 1 species 1 shape cubes diameter uniform 0.6 1.2 fraction 1 {more}",
        box=BOX,
    ).replace("atom_style sphere", "atom_style bpm/sphere")
    shape = f"group cubes empty\nfix cubes cubes shape/granular/plus file {cube} density 2\n"
    text = text.replace(FEED, shape + FEED).replace(
        "fix move all nve/sphere", "group round type 2\nfix move round nve/sphere"
    )
    columns = "c_turn[1] c_turn[2] c_turn[3] c_turn[4]"
    dump = f"write_dump all custom grains.dump {PLACES} {columns} modify sort id format float %.17g"
    run = engine.run(
        f"{text}compute turn all property/atom quatw quati quatj quatk\nrun 1\n"
        f"print 'MASS $(f_feed[2]:%.17g)'\n{dump}"
    )
    found = run.dump("grains.dump")
    cubes = found[found["type"] == 1]
    edge = 2.0 * cubes["radius"] / np.sqrt(3.0)
    np.testing.assert_allclose(cubes["mass"], 2.0 * edge**3, rtol=1e-12)
    told = float(re.search(r"^MASS (\S+)", run.log, re.MULTILINE)[1])
    assert told == pytest.approx(found["mass"].sum(), rel=1e-12)
    turns = cubes.filter(like="c_turn").to_numpy()
    np.testing.assert_allclose(np.linalg.norm(turns, axis=1), 1.0, rtol=1e-12)
    # for uniform rotations, the mean is 4/(3 pi)
    assert abs(np.abs(turns[:, 0]).mean() - 0.424) < 0.06
    if species == 2:
        share = cubes["mass"].sum() / found["mass"].sum()
        assert share == pytest.approx(0.5, abs=2 * found["mass"].max() / found["mass"].sum())
    assert apart(found)


def test_spheres_and_shapes_in_one_feed(tmp_path):
    cube = shapes.cube().write(tmp_path / "cube.obj")
    text = script(
        "number 60 every 1 species 1 shape cubes diameter one 0.8 fraction 0.5 "
        "species 2 density 1 diameter one 0.7 group balls fraction 0.5"
    ).replace("atom_style sphere", "atom_style bpm/sphere")
    before = (
        f"group cubes empty\ngroup balls empty\nfix cubes cubes shape/granular/plus file {cube} "
    )
    text = text.replace(FEED, f"{before}density 1\n{FEED}")
    text = text.replace("fix move all nve/sphere", "fix move balls nve/sphere")
    text += "fix fall all gravity 10 vector 0 0 -1\n"
    found = grains(f"{text}run 101")
    assert set(found["type"]) == {1, 2}
    # grains have been accelerated for 100.5 steps
    np.testing.assert_allclose(found["vz"], -1.005, rtol=1e-9)


def test_a_shape_that_changes_between_runs_is_refused(tmp_path):
    cube = shapes.cube().write(tmp_path / "cube.obj")
    text = script("number 9 rate 100 every 10 species 1 shape cubes diameter one 0.8")
    text = text.replace("atom_style sphere", "atom_style bpm/sphere")
    shape = f"fix cubes cubes shape/granular/plus file {cube} density {{}}\n"
    text = text.replace(FEED, "group cubes empty\n" + shape.format(1) + FEED)
    text = text.replace("fix move all nve/sphere\n", "")
    with pytest.raises(engine.LammpsError, match="shape = cubes gives grains a mass that differs"):
        engine.run(f"{text}run 20\n{shape.format(2)}run 20")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("mesh {open} number 1", "must be closed: 4 edges belong to one triangle"),
        ("mesh none.stl number 1", "none.stl"),
        ("mesh {closed} scale 0 number 1", "keyword scale: factor = 0 must be > 0"),
        ("mesh {closed} scale big number 1", "keyword scale: factor = big must be a finite number"),
        ("mesh {closed} turn 3 0 0 0 number 1", "keyword turn: the length of the axis = 0"),
        ("mesh {closed} offset 1 2 #", "keyword offset needs x y z: displacement"),
        ("mesh {closed} face {open} number 1", "region, mesh or face must be given only once"),
        ("face {closed} number 1 velocity 0 0 -1", "must be flat: triangle"),
        ("face {open} number 1", "keyword velocity must not be 0"),
        ("face {open} number 1 velocity 1 0 -0.05", "of the face = 87.1 degrees must be <= 84.3"),
        (
            "mesh {closed} number 1 species 1 density 1 diameter one 3.1",
            "3.1 must be <= 3, the width",
        ),
        (
            "region above number 1 species 1 density 1 diameter one 8",
            "8 must be <= 7, the width of",
        ),
        (
            "face {open} number 1 velocity 0 0 -1 species 1 density 1 diameter one 2.1",
            "largest diameter = 2.1 must be <= 2, the width of face",
        ),
        ("mesh {closed} scale 1000 number 1", "its length along x = 4000 must be <= 20"),
        ("face {open} offset 0 90 0 number 1 velocity 0 0 -1", "along y it lies between 89 and 91"),
        (
            "mesh {closed} mass 0.1",
            "mass: M = 0.1 must be >= 0.261799, half the mass of the first grain",
        ),
        ("mesh {closed} number 1 species 1 density 1 diameter one 1 group no", "is no group no"),
        ("mesh {closed} number 1 species 1 shape feed diameter one 1", "shape = feed must be the"),
        (
            "mesh {closed} number 1 species 1 thick 1 diameter one 1",
            "thick must be density or shape",
        ),
    ],
)
def test_bad_meshes_are_named(tmp_path, words, message):
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
    files = {
        "open": written(tmp_path / "face.stl", [corners[[0, 1, 2]], corners[[0, 2, 3]]]),
        "closed": written(tmp_path / "l.stl", two_boxes()),
    }
    given = words.format(**files)
    text = script(given + ("" if "species" in given else f" {ONE}"), place="")
    with pytest.raises(engine.LammpsError, match=re.escape(message)):
        engine.run(text + "run 1")


PLACES_OF_ALL_KINDS = {
    "region": "region above",
    "mesh": "mesh {mesh} scale {length} offset {two} {two} {two}",
    "face": "face {face} scale {four} offset {two} {two} {eight}",
}


@pytest.mark.parametrize("place", PLACES_OF_ALL_KINDS)
def test_other_units_change_no_bit(tmp_path, place):
    """Lengths are multiplied by 4, times by 8 and masses by 2, which causes no rounding."""
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
    files = {
        "mesh": written(tmp_path / "l.stl", two_boxes()),
        "face": written(tmp_path / "face.stl", [corners[[0, 1, 2]], corners[[0, 2, 3]]]),
    }
    found = []
    for length, time, mass in ((1.0, 1.0, 1.0), (4.0, 8.0, 2.0)):
        speed, density = length / time, mass / length**3
        numbers = {"two": 2 * length, "four": 4 * length, "eight": 8 * length, "length": length}
        text = script(
            f"mass {40 * mass} rate {400 * mass / time} every 20 velocity 0 {speed} {-5 * speed} "
            f"species 1 density {density} diameter uniform {0.4 * length} {0.8 * length} "
            f"species 2 density {2 * density} diameter sieve {0.3 * length} 0 "
            f"{0.5 * length} 0.4 {0.7 * length} 1 fraction 0.3",
            box="block " + " ".join(str(n * length) for n in (0, 10, 0, 10, -40, 20)),
            region="region above block "
            + " ".join(str(n * length) for n in (0, 10, 0, 10, 12, 19)),
            place=PLACES_OF_ALL_KINDS[place].format(**numbers, **files),
        ).replace("timestep 1e-3", f"timestep {time * 2.0**-10}")
        text = text.replace(LAW, "hooke 0 0 tangential linear_nohistory 0 0")
        table = grains(f"{text}run 100")
        scaled = pd.concat(
            [
                table[["id", "type"]],
                table[["x", "y", "z", "radius"]] / length,
                table[["vx", "vy", "vz"]] / speed,
                table["mass"] / mass,
            ],
            axis=1,
        )
        found.append(scaled)
    assert len(found[0]) > 50
    pd.testing.assert_frame_equal(*found, check_exact=True)
