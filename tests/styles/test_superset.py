"""With the slider dsds, trajectories equal those of pair granular for all shared models.

One LAMMPS process runs all combinations of models, with the command `clear` in between.
"""

from __future__ import annotations

import itertools

import pytest

from pysuite.outputs import WALL_CONTACTS, pair_local

DAMPING = {  # suitable damping coefficient or restitution
    "velocity": 8,
    "mass_velocity": 15,
    "viscoelastic": 200,
    "tsuji": 0.6,
    "coeff_restitution": 0.5,
}
NORMAL = {  # models for types 1 and 2; models for contacts between the types are mixed
    "hooke": ("hooke 2e4 {}", "hooke 3e4 {}"),
    "hertz": ("hertz 4e5 {}", "hertz 6e5 {}"),
    "hertz/material": ("hertz/material 6e5 {} 0.25", "hertz/material 9e5 {} 0.35"),
}
COHESIVE = {  # can be combined with the damping laws viscoelastic, velocity and mass_velocity
    "dmt": ("dmt 6e5 {} 0.25 10", "dmt 9e5 {} 0.35 15"),
    "jkr": ("jkr 6e5 {} 0.25 40", "jkr 9e5 {} 0.35 60"),
}
ROLLING = {"none": ("", ""), "sds": ("5e3 2 0.2", "8e3 3 0.3")}
TWISTING = {"none": ("", ""), "sds": ("300 0.05 0.03", "400 0.1 0.05"), "marshall": ("", "")}
TANGENTIAL = {
    "linear_nohistory": ("0.8 0.3", "1.0 0.5"),
    "linear_history": ("1e4 0.8 0.3", "2e4 1.0 0.5"),
    "mindlin": ("3e5 0.8 0.3", "5e5 1.0 0.5"),
    "mindlin/force": ("3e5 0.8 0.3", "5e5 1.0 0.5"),
    "mindlin_rescale": ("3e5 0.8 0.3", "5e5 1.0 0.5"),
    "mindlin_rescale/force": ("3e5 0.8 0.3", "5e5 1.0 0.5"),
}
STEPS = 200

# Forces that are added in different orders differ by about 1e-16 per step. Within 200 steps (two
# collision times), such differences grow to 1e-11 in this packing. In contrast, a missing term or a
# lost spring causes a difference of 1e-6 or more. Differences may exceed TOLERANCE if a grain is
# about to slip or to separate. Then pair granular runs again with positions changed in the last
# bit. The two styles may differ by ten times the effect of this change, but at most by ten times
# SENSITIVE.
TOLERANCE = 1e-10
LAST_BIT = "displace_atoms all random 3e-16 3e-16 3e-16 {}\n"
SENSITIVE = 1e-9


def pair_commands(
    style: str,
    normal: str,
    damping: str,
    tangential: str,
    rolling: str = "none",
    twisting: str = "none",
) -> str:
    slider = "slider dsds" if style == "granular/plus" else ""
    lines = [f"pair_style {style}"]
    for kind in (0, 1):
        value = DAMPING[damping] * (1.0 if kind == 0 else 1.2)
        words = {
            "damping": damping,
            "tangential": f"{tangential} {TANGENTIAL[tangential][kind]}",
            "rolling": f"{rolling} {ROLLING[rolling][kind]}",
            "twisting": f"{twisting} {TWISTING[twisting][kind]}",
        }
        normal_words = (NORMAL | COHESIVE)[normal][kind].format(value)
        others = " ".join(f"{keyword} {model}" for keyword, model in words.items())
        lines.append(f"pair_coeff {kind + 1} {kind + 1} {normal_words} {others} {slider}")
    return "\n".join(lines) + "\n"


def file_name(style: str, *models: str) -> str:
    return "-".join([style, *models]).replace("/", "_")


STYLES = ("granular", "granular/plus")
RANKS = pytest.mark.parametrize("ranks", [1, 2])
NEWTON = pytest.mark.parametrize("newton", ["on", "off"])
SETTINGS = [("on", 1), ("off", 2), ("on", 2), ("off", 1)]
# After a push, only the first two settings are tested.
BOTH_TURNED = pytest.mark.parametrize(
    ("newton", "ranks"),
    [*SETTINGS[:2], *(pytest.param(*s, marks=pytest.mark.product) for s in SETTINGS[2:])],
)
ALL = pytest.mark.parametrize(
    "everything", [False, pytest.param(True, marks=pytest.mark.product)], ids=["a quarter", "all"]
)


def quarter(newton: str, ranks: int) -> list[tuple[str, ...]]:
    """Return the quarter of all combinations of models that is tested after a push.

    Each setting has its own quarter.
    """
    every = itertools.product(enumerate(NORMAL), enumerate(DAMPING), enumerate(TANGENTIAL))
    number = SETTINGS.index((newton, ranks))
    chosen = [
        tuple(law for _, law in models)
        for models in every
        if sum(n for n, _ in models) % 4 == number
    ]
    assert [set(laws) for laws in zip(*chosen, strict=True)] == list(
        map(set, (NORMAL, DAMPING, TANGENTIAL))
    )
    return chosen


def assert_same_trajectories(packing, tools, setup, begin, combinations, **options):
    def one_run(style, models, name, moved=""):
        pair = pair_commands(style, *models)
        return f"""clear
{setup}{moved}{pair}{tools.move}{begin}run {STEPS}
{tools.dump_command(name)}"""

    run = packing.run(
        "".join(one_run(s, m, file_name(s, *m)) for m in combinations for s in STYLES), **options
    )
    worst = {}
    for models in combinations:
        theirs, ours = (run.dump(file_name(style, *models)) for style in STYLES)
        worst[models] = max(tools.difference(theirs, ours).values())
    print(f"\n{options}: {run.wall:.1f} s, largest {max(worst.values()):.1e}")
    too_far = {}
    for models, difference in worst.items():
        if difference <= TOLERANCE:
            continue
        theirs = run.dump(file_name("granular", *models))
        again = packing.run(
            "".join(one_run("granular", models, str(n), LAST_BIT.format(n)) for n in (1, 2)),
            **options,
        )
        own = max(max(tools.difference(theirs, again.dump(n)).values()) for n in ("1", "2"))
        print(f"{models}: {difference:.1e}; pair granular after a move by the last bit {own:.1e}")
        if not difference <= 10.0 * min(own, SENSITIVE):
            too_far[models] = difference, own
    assert too_far == {}


@RANKS
@NEWTON
@ALL
def test_all_models_give_the_trajectory_of_pair_granular(packing, tools, everything, newton, ranks):
    combinations = list(itertools.product(NORMAL, DAMPING, TANGENTIAL))
    assert len(combinations) == 90
    if not everything:
        combinations = quarter(newton, ranks)
    assert_same_trajectories(
        packing, tools, tools.setup, "", combinations, newton=newton, ranks=ranks
    )


@BOTH_TURNED
def test_cohesion_gives_the_trajectory_of_pair_granular(packing, tools, newton, ranks):
    dampings = ("velocity", "mass_velocity", "viscoelastic")
    tangentials = ("linear_nohistory", "mindlin_rescale")
    combinations = list(itertools.product(COHESIVE, dampings, tangentials))
    assert_same_trajectories(
        packing, tools, tools.setup, tools.begin, combinations, newton=newton, ranks=ranks
    )


def whole_contacts():
    """Yield combinations of laws for each normal law.

    Some have the tangential law mindlin with any rolling and twisting laws. The others have any
    tangential law with one rolling and one twisting law. The twisting law marshall is not combined
    with linear_nohistory, because pair granular then divides by a stiffness of zero.
    """
    suits = {"hooke": "mass_velocity", "hertz/material": "tsuji"}
    suits |= dict.fromkeys(COHESIVE, "viscoelastic")
    for normal, damping in suits.items():
        for tangential in TANGENTIAL:
            twisting = "sds" if tangential == "linear_nohistory" else "marshall"
            yield normal, damping, tangential, "sds", twisting
        for rolling, twisting in itertools.product(ROLLING, TWISTING):
            yield normal, damping, "mindlin", rolling, twisting


@BOTH_TURNED
def test_rolling_and_twisting_give_the_trajectory_of_pair_granular(packing, tools, newton, ranks):
    combinations = list(dict.fromkeys(whole_contacts()))
    assert_same_trajectories(
        packing, tools, tools.one_list, "", combinations, newton=newton, ranks=ranks
    )


def test_contacts_of_the_packing_stick_slide_come_and_go(packing, tools):
    script = tools.setup + pair_commands(
        "granular/plus", "hooke", "mass_velocity", "linear_history"
    )
    script += f"""{tools.move}
compute contact all pair/local dist force {pair_local("friction")} cutoff radius
compute pair all property/local patom1 patom2 ptype1 ptype2 cutoff radius
dump contacts all local 10 contacts index c_pair[*] c_contact[*]
dump_modify contacts format float %.17g
run {STEPS}
"""
    run = packing.run(script)
    assert "Neighbor list builds = 10" in run.log
    frames = dict(list(run.local("contacts").groupby("step")))
    friction_coefficient = {(1, 1): 0.3, (2, 2): 0.5, (1, 2): (0.3 * 0.5) ** 0.5}
    last = frames[STEPS]
    mobilised = [
        row["friction"]
        / abs(row["force"])
        / friction_coefficient[tuple(sorted((row["ptype1"], row["ptype2"])))]
        for _, row in last.iterrows()
    ]
    sliding = sum(m > 0.999 for m in mobilised) / len(mobilised)
    assert len(mobilised) > 600
    assert 0.1 < sliding < 0.9
    assert max(mobilised) < 1 + 1e-12
    pairs = [
        {tuple(sorted(p)) for p in frame[["patom1", "patom2"]].to_numpy()}
        for frame in frames.values()
    ]
    assert len(pairs[0] - pairs[-1]) > 10
    assert len(pairs[-1] - pairs[0]) > 10


def test_cohesive_contacts_of_the_packing_act_across_gaps(packing, tools):
    script = tools.setup + pair_commands("granular/plus", "jkr", "viscoelastic", "mindlin")
    script += f"""{tools.move}{tools.begin}
compute contact all pair/local dist force
compute pair all property/local patom1 patom2
dump contacts all local 10 contacts c_pair[*] c_contact[*]
dump_modify contacts format float %.17g
dump sizes all custom 1000 sizes id radius
dump_modify sizes first yes format float %.17g
run {STEPS}
"""
    run = packing.run(script)
    radius = run.dump("sizes").groupby("id")["radius"].first()
    acting, apart = [], []
    for _, frame in run.local("contacts").groupby("step"):
        pairs = frame[["patom1", "patom2"]].to_numpy(int)
        touching = radius[pairs[:, 0]].to_numpy() + radius[pairs[:, 1]].to_numpy()
        force, distance = frame["force"].to_numpy(), frame["dist"].to_numpy()
        acting.append({tuple(sorted(pair)) for pair in pairs[force != 0.0]})
        apart.append({tuple(sorted(p)) for p in pairs[(force < 0.0) & (distance > touching)]})
    print(f"\n{len(acting[-1])} contacts, {len(apart[-1])} across a gap")
    assert len(acting[-1]) > 600
    assert len(apart[-1]) > 10
    assert len(acting[-1] - acting[0]) > 10
    assert len(set.union(*apart) - acting[-1]) > 5


@pytest.mark.parametrize("change", ["rolling", "twisting", "cohesion"])
def test_what_is_left_out_shows_so_the_comparison_can_fail(packing, tools, change):
    models = ["jkr", "viscoelastic", "mindlin", "sds", "marshall"]
    other = list(models)
    spoiled = {"rolling": (3, "none"), "twisting": (4, "none"), "cohesion": (0, "dmt")}[change]
    other[spoiled[0]] = spoiled[1]
    ends = [packing.end(pair_commands("granular/plus", *names)) for names in (models, other)]
    assert tools.difference(*ends)["torque"] > 1e-3


@pytest.mark.parametrize("slider", ["csds", "truncate"])
@pytest.mark.parametrize("whole", [(), ("sds", "marshall")], ids=["sliding", "and rolling"])
def test_other_sliders_differ_so_the_comparison_can_fail(packing, tools, slider, whole):
    models = ("hertz/material", "tsuji", "mindlin", *whole)
    theirs = packing.end(pair_commands("granular", *models))
    pair = pair_commands("granular/plus", *models).replace("dsds", slider)
    assert tools.difference(theirs, packing.end(pair))["force"] > 1e-4


@pytest.mark.parametrize("option", ["limit_damping", "cutoff 1.3"])
def test_options_of_pair_coeff(packing, tools, option):
    models = ("hooke", "mass_velocity", "linear_history")
    ends = [
        packing.end("\n".join(f"{line} {option}" if "coeff" in line else line for line in lines))
        for lines in (pair_commands(s, *models).splitlines() for s in STYLES)
    ]
    assert max(tools.difference(*ends).values()) <= TOLERANCE
    without = packing.end(pair_commands("granular/plus", *models))
    changes = max(tools.difference(ends[1], without).values()) > 1e-6
    assert changes == (option == "limit_damping")


@pytest.mark.parametrize(
    "tangential", ["mindlin", "mindlin/force", "mindlin_rescale", "mindlin_rescale/force"]
)
def test_tangential_stiffness_from_the_material_and_its_mixing(packing, tools, tangential):
    """Between unlike types, the stiffness is too low in LAMMPS and with the slider dsds."""

    def commands(style, slider=""):
        return f"""pair_style {style} 1.2
pair_coeff 1 1 hertz/material 6e5 0.6 0.25 damping tsuji tangential {tangential} NULL 1 0.3 {slider}
pair_coeff 2 2 hertz/material 9e5 0.5 0.35 damping tsuji tangential {tangential} NULL 1 0.5 {slider}
"""

    ours = packing.end(commands("granular/plus", "slider dsds"))
    assert max(tools.difference(packing.end(commands("granular")), ours).values()) <= TOLERANCE


# -------------------------------------------------------------------- other features of scripts


def ends_of_both(packing, tools, coefficients, *, setup=None, extra="", fields="id", **options):
    ends = []
    for style, slider in (("granular", ""), ("granular/plus", "slider dsds")):
        pair = "".join(f"pair_coeff {line} {slider}\n" for line in coefficients)
        wall = "wall/gran" if style == "granular" else "wall/granular/plus"
        script = f"""{setup or tools.setup}pair_style {style}
{pair}{tools.move}{extra.replace("WALL", wall).replace("SLIDER", slider)}
run {STEPS}
{tools.dump_command("end")}
write_dump all custom more.dump {fields} modify sort id format float %.17g
"""
        ends.append(packing.run(script, **options))
    return ends


def assert_identical(packing, tools, coefficients, **options):
    ends = ends_of_both(packing, tools, coefficients, **options)
    theirs, ours = (run.dump("end") for run in ends)
    difference = max(tools.difference(theirs, ours).values())
    if difference > TOLERANCE:
        setup = options.pop("setup", tools.setup)
        again = (
            ends_of_both(packing, tools, coefficients, setup=setup + LAST_BIT.format(n), **options)
            for n in (1, 2)
        )
        own = max(max(tools.difference(theirs, a[0].dump("end")).values()) for a in again)
        print(f"{difference:.1e}; pair granular after a move by the last bit {own:.1e}")
        assert difference <= 10.0 * min(own, SENSITIVE)
    return ends


HOOKE = "hooke 2e4 15 damping mass_velocity"
CLASSIC = {
    "linear_history_classic": f"{HOOKE} tangential linear_history_classic {{}} 0.8 {{}}",
    "mindlin_classic": "hertz 4e5 200 tangential mindlin_classic {} 0.8 {}",
}


@NEWTON
@pytest.mark.parametrize("model", CLASSIC)
def test_classic_models_give_the_trajectory_of_pair_granular(packing, tools, model, newton):
    words = [f"{k} {k} {CLASSIC[model].format(*p)}" for k, p in ((1, (1e5, 0.3)), (2, (2e5, 0.5)))]
    ends = assert_identical(packing, tools, words, newton=newton)
    assert "behaves as in LAMMPS of 22 July 2025" in ends[1].log


def test_linear_history_classic_has_the_stiffness_that_it_is_given_but_with_dsds(packing, tools):
    """With csds and truncate, linear_history_classic and linear_history have the same stiffness.

    Only the length of rotated springs differs.
    """
    ends = []
    for model in ("linear_history_classic", "linear_history"):
        pair = f"pair_coeff * * {HOOKE} tangential {model} 1e4 0.8 0.3 slider truncate"
        ends.append(packing.end(f"pair_style granular/plus\n{pair}"))
    # the difference would exceed 1 if the stiffness were multiplied by the contact radius
    assert 1e-9 < tools.difference(*ends)["force"] < 1e-2


SYNCHRONIZED = {
    "linear_history": f"{HOOKE} tangential linear_history 1e4 0.8 0.3",
    "linear_history_classic": f"{HOOKE} tangential linear_history_classic 1e5 0.8 0.3",
    "mindlin": "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3",
    "force": (
        "hertz 4e5 200 tangential mindlin_rescale/force 3e5 0.8 0.3 rolling sds 5e3 2 0.2 "
        "twisting sds 300 0.05 0.03"
    ),
    "jkr": "jkr 6e5 200 0.25 40 tangential mindlin_rescale 3e5 0.8 0.3 twisting marshall",
}


@RANKS
@pytest.mark.parametrize("model", SYNCHRONIZED)
def test_synchronized_verlet_gives_the_trajectory_of_pair_granular(packing, tools, model, ranks):
    words = [f"* * {SYNCHRONIZED[model]} synchronized_verlet"]
    begin = tools.begin if "twisting" in words[0] else ""
    options = {"setup": tools.one_list, "extra": begin, "ranks": ranks}
    ends = assert_identical(packing, tools, words, **options)
    without = ends_of_both(packing, tools, [f"* * {SYNCHRONIZED[model]}"], **options)
    both = [ends[1].dump("end"), without[1].dump("end")]
    assert max(tools.difference(*both).values()) > 1e-6


def test_pair_granular_forgets_synchronized_verlet_when_it_mixes(packing, tools):
    words = [f"{k} {k} {SYNCHRONIZED['linear_history']} synchronized_verlet" for k in (1, 2)]
    ends = assert_identical(packing, tools, words)
    assert (
        "synchronized_verlet has no effect on pairs of types whose models are mixed" in ends[1].log
    )


@pytest.mark.parametrize("slider", ["csds", "truncate"])
def test_synchronized_verlet_goes_with_all_sliders_and_a_ledger(packing, tools, slider):
    """With synchronized_verlet, forces act along the normal from half a step earlier."""
    change = {}
    for timestep in (1e-4, 5e-5):
        ends = [
            packing.end(
                f"pair_style granular/plus ledger yes\npair_coeff * * {HOOKE} tangential "
                f"linear_history 1e4 0.8 0.3 rolling sds 5e3 2 0.2 slider {slider} {keyword}",
                move=tools.move.replace("1e-4", str(timestep)),
                steps=10,
            )
            for keyword in ("synchronized_verlet", "")
        ]
        change[timestep] = tools.difference(*ends)["force"]
    assert 0.0 < change[5e-5] < 0.75 * change[1e-4] < 0.01


HEAT = {"area": (500.0, 800.0), "radius": (40.0, 60.0)}
THERMAL = """
fix heat all property/atom temperature heatflow ghost yes
variable warm atom x+2*y+0.5*z
set group all temperature v_warm
fix flow all heat/flow constant 2.0
compute thermal all property/atom temperature heatflow
"""


@RANKS
@NEWTON
@pytest.mark.parametrize("model", HEAT)
def test_heat_is_conducted_as_in_pair_granular(packing, tools, model, newton, ranks):
    words = [
        f"{k} {k} hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3 "
        f"heat {model} {h}"
        for k, h in enumerate(HEAT[model], 1)
    ]
    wall = f"""
variable hot equal 5+1000*step*dt
group free id > 35
fix wall free WALL granular hertz/material 2e3 0.6 0.25 damping tsuji &
  tangential mindlin NULL 1 0.3 heat {model} 300 SLIDER zplane 0.64 NULL temperature v_hot contacts
"""
    columns = f"c_thermal[1] c_thermal[2] {WALL_CONTACTS.of('f_wall', 'heat')}"
    ends = assert_identical(
        packing,
        tools,
        words,
        extra=THERMAL + wall,
        fields=f"id {columns}",
        newton=newton,
        ranks=ranks,
    )
    theirs, ours = (run.dump("more.dump").astype(float) for run in ends)
    for column in columns.split():
        scale = theirs[column].abs().max()
        assert scale > 0.0, column
        assert (theirs[column] - ours[column]).abs().max() <= SENSITIVE * scale, column


@RANKS
def test_modulus_zero_is_no_interaction(packing, tools, ranks):
    """If types do not interact, scripts set the modulus to 0. Some also set the damping to 0."""
    words = [
        "1 1 hertz/material 6e5 200 0.25 tangential mindlin NULL 1 0.3",
        "2 2 hertz/material 0 0 0 tangential mindlin NULL 0 0",
        "1 2 hertz/material 0 0 0.3 tangential mindlin NULL 1 0.5",
    ]
    ends = assert_identical(packing, tools, words, ranks=ranks)
    nothing = "pair_coeff * * hooke 0 0 tangential linear_nohistory 0 0"
    cold = packing.end(f"pair_style granular/plus\n{nothing}")
    both = [ends[1].dump("end"), cold]
    assert max(tools.difference(*both).values()) > 1e-3


@pytest.mark.parametrize("model", ["dmt 0 200 0 3", "hertz/material 0 200 0.3"])
def test_modulus_zero_leaves_adhesion_and_dashpot(packing, tools, model):
    words = [f"* * {model} tangential linear_nohistory 1 0.5"]
    assert_identical(packing, tools, words)


@pytest.mark.parametrize("place", ["0.64 0.64", "5 5"])
def test_a_wall_with_lo_and_hi_alike_is_one_plane_with_two_sides(packing, tools, place):
    wall = f"""
group free id > 35
fix wall free WALL granular hooke 2e3 15 damping mass_velocity tangential linear_history 1e3 1 0.3 &
  SLIDER zplane {place}
"""
    words = [f"* * {HOOKE} tangential linear_history 1e4 0.8 0.3"]
    ends = assert_identical(packing, tools, words, extra=wall)
    without = packing.end(f"pair_style granular/plus\npair_coeff {words[0]} slider dsds")
    both = [ends[1].dump("end"), without]
    assert max(tools.difference(*both).values()) > 1e-3


@pytest.mark.parametrize("twisting", ["none", "marshall", "sds 300 0.05 0.03"])
@pytest.mark.parametrize("rolling", ["none", "sds 5e3 2 0.2"])
@pytest.mark.parametrize(
    "tangential", ["linear_history_classic 1e5 1 0.3", "linear_nohistory 1 0.3"]
)
def test_rolling_and_twisting_on_other_tangential_models(
    packing, tools, tangential, rolling, twisting
):
    """The law marshall is not tested with linear_nohistory: pair granular would divide by zero."""
    if twisting == "marshall" and "nohistory" in tangential:
        return
    words = [f"* * {HOOKE} tangential {tangential} rolling {rolling} twisting {twisting}"]
    assert_identical(packing, tools, words, setup=tools.one_list, extra=tools.begin)
