"""Outputs by name: the table, the readers, and no column numbers in Python code."""

from __future__ import annotations

import re
from pathlib import Path

import pandas
import pytest

from pysuite import (
    commands,
    contacts,
    engine,
    outputs,
)
from pysuite.outputs import LEDGER, LOSSES, PAIR, STORED, WALL, WALL_CONTACTS, pair_local

ROOT = Path(__file__).parents[2]
# the script uses every style with numbered outputs
SCRIPT = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -1 3
create_box 1 box
create_atoms 1 single -0.51 0 0.5
create_atoms 1 single 0.49 0 0.5
set group all diameter 1 density 1
velocity all ramp vx 1 -1 x -1 1
velocity all ramp vy 0.5 -0.5 x -1 1
pair_style granular/plus ledger yes
pair_coeff * * hooke 1e4 20 tangential linear_history 5e3 1 0.1 bridge willett 0.5 10 volume 1e-3
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor all wall/granular/plus hooke 1e4 20 tangential linear_history 5e3 1 0.5 zplane 0 NULL
fix ceiling all wall/granular/plus hooke 1e4 20 tangential linear_history 5e3 1 0.5 zplane NULL 3
compute books all granular/ledger
compute contact all pair/local dist force &
  {pair} cutoff radius
compute pair all property/local patom1 patom2 cutoff radius
dump contacts all local 20 contacts c_pair[*] c_contact[*]
timestep 1e-3
thermo_style custom step {thermo} f_floor[*] f_ceiling[3]
thermo 10
run 20
"""
ENTRIES = LEDGER.of("c_books", "slip", "residual")


def run(thermo: str = "c_books[*]") -> engine.Run:
    names = ("friction", "bridge", "gap")
    return engine.run(SCRIPT.format(thermo=thermo, pair=pair_local(*names)))


def test_numbers_are_lammps_own():
    assert LEDGER.of("c_1", "kinetic_translation", "slip", "residual") == "c_1[1] c_1[10] c_1[23]"
    assert pair_local("friction", "bridge", "heat") == "p4 p23 p32"
    assert WALL.of("f_w", "force_x", "contacts", "work") == "f_w[1] f_w[7] f_w[8]"
    assert WALL_CONTACTS.of("f_w", "contacts", "radius", "heat") == "f_w[1] f_w[8] f_w[9]"
    assert len(LEDGER.of("c_1").split()) == len(LEDGER.names)


@pytest.mark.parametrize("table", outputs.ALL, ids=lambda table: table.style)
def test_names_tell_entries_apart(table):
    assert len(set(table.names)) == len(table.names)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in table.names)
    assert all(entry.unit and entry.meaning for entry in table.entries)


def test_an_unknown_name_is_told():
    with pytest.raises(ValueError, match=r"has no output 'slips'; did you mean slip\?"):
        LEDGER.number("slips")
    with pytest.raises(ValueError, match="there are: friction_x, "):
        pair_local("zzz")


def test_readers_know_entries_by_name():
    found = run()
    ledger, thermo = found.ledger, found.thermo
    assert list(ledger) == LEDGER.names
    assert ledger["slip"].equals(thermo[LEDGER.of("c_books", "slip")])
    assert ledger["slip"].iloc[-1] > 0.0
    floor = found.wall_vector("floor")
    assert list(floor) == WALL.names
    assert floor["contacts"].iloc[-1] == 2
    assert found.wall_vector("ceiling")["force_z"].equals(thermo[WALL.of("f_ceiling", "force_z")])
    contacts = found.local("contacts")
    expected = ["step", "patom1", "patom2", "dist", "force", "friction", "bridge", "gap"]
    assert list(contacts) == expected
    assert (contacts["bridge"] == 1).all()
    assert contacts["gap"].to_numpy() == pytest.approx(contacts["dist"].to_numpy() - 1.0)


def test_the_balance_is_that_of_its_names():
    """The residual is the change of stored + lost - supplied energy since the first output."""
    ledger = run().ledger
    total = ledger[[*STORED, *LOSSES, "potential"]].sum(axis=1)
    total -= ledger[["created", "wall_work", "exchanged"]].sum(axis=1)
    change = (total - ledger["residual"]).diff().iloc[1:]
    # LAMMPS prints six digits
    assert change.abs().max() <= 1e-4 * ledger["kinetic_translation"].iloc[0]


def test_readers_take_what_is_there():
    found = run(ENTRIES)
    assert list(found.ledger) == ["slip", "residual"]
    lacking = r"the run has no fix of style wall/granular/plus roof"
    with pytest.raises(ValueError, match=lacking):
        found.wall_vector("roof")
    other = run("ke")
    with pytest.raises(ValueError, match="the table has no column of c_books"):
        _ = other.ledger


def test_values_of_hybrid_styles_keep_their_numbers():
    log = "pair_style hybrid/overlay granular/plus capillary/willett\n"
    log += "compute contact all pair/local p4 p36\n"
    table = pandas.DataFrame([[1.0, 2.0]], columns=["c_contact[1]", "c_contact[2]"])
    assert list(outputs.local(log, table)) == ["p4", "p36"]
    log = log.replace("hybrid/overlay granular/plus capillary/willett", "granular")
    assert list(outputs.local(log, table)) == ["friction", "p36"]


@pytest.mark.parametrize("style", ["granular", "gran/hertz/history"])
def test_values_of_styles_that_ours_compute_have_names(style):
    table = pandas.DataFrame([[1.0, 2.0]], columns=["c_contact[1]", "c_contact[2]"])
    log = f"pair_style {style} 1\ncompute contact all pair/local p4 p36\nrun 0\n"
    assert "p36" in outputs.local(log, table)
    log += f"granular/plus computes pair_style {style}, with friction by slider csds\n"
    assert list(outputs.local(log, table)) == ["friction", PAIR.names[35]]
    log = f"pair_style {style}/plus 1\ncompute contact all pair/local p4 p36\nrun 0\n"
    assert list(outputs.local(log, table)) == ["friction", PAIR.names[35]]


def test_values_have_names_after_a_restart_that_has_the_pair_style(tmp_path):
    first = engine.run(SCRIPT.format(thermo="ke", pair="p4") + "write_restart state\n")
    again = f"""
atom_modify map yes
read_restart {first.folder / "state"}
compute contact all pair/local p4 p23
run 0
write_dump all local contacts c_contact[*]
"""
    found = engine.run(again).local("contacts")
    assert list(found) == ["step", "friction", "bridge"]


def test_a_word_that_may_be_there_is_not_called_missing():
    table = pandas.DataFrame([[1.0, 2.0]], columns=["patom1", "c_contact[1]"])
    message = r"no column friction: add the word p4 .*; or, if the .* c_contact\[1\], give the"
    with pytest.raises(ValueError, match=message):
        contacts.need(table, ["friction"], "contacts")
    with pytest.raises(ValueError, match=r"add the word p4 to compute pair/local$"):
        contacts.need(table[["patom1"]], ["friction"], "contacts")


def test_columns_have_the_names_that_they_had_while_they_were_written():
    script = SCRIPT.format(thermo="ke", pair=pair_local("friction", "bridge", "gap"))
    again = f"""
undump contacts
uncompute contact
compute contact all pair/local {pair_local("gap", "bridge")} dist cutoff radius
dump later all local 20 later.* c_contact[*]
run 20
write_dump all local last c_pair[*] c_contact[*]
"""
    found = engine.run(script + again)
    first = ["step", "patom1", "patom2", "dist", "force", "friction", "bridge", "gap"]
    assert list(found.local("contacts")) == first
    assert list(found.local("later.*")) == ["step", "gap", "bridge", "dist"]
    assert list(found.local("later.20")) == ["step", "gap", "bridge", "dist"]
    assert list(found.local("last")) == ["step", "patom1", "patom2", "gap", "bridge", "dist"]
    gap = found.local("later.20")["gap"].to_numpy()
    assert found.local("contacts")["gap"].to_numpy()[-1:] == pytest.approx(gap)
    with pytest.raises(ValueError, match=r"c_contact\[1\] of moved is ambiguous \(dist or gap\)"):
        outputs.local(found.log, found.dump("contacts"), "moved")


def test_forces_follow_from_the_separation_only_of_free_spheres():
    words = pair_local("separation_x", "separation_y", "separation_z")
    words += " " + pair_local("friction_x", "friction_y", "friction_z")
    log = f"pair_style granular/plus\ncompute contact all pair/local force {words}\n"
    table = pandas.DataFrame(
        [[5.0, 0.0, 3.0, 4.0, 1.0, 0.0, 0.0]], columns=[f"c_contact[{n}]" for n in range(1, 8)]
    )
    found = outputs.local(log, table)
    assert found[["normal_x", "normal_y", "normal_z"]].to_numpy().tolist() == [[0.0, 0.6, 0.8]]
    assert found[["force_x", "force_y", "force_z"]].to_numpy().tolist() == [[1.0, 3.0, 4.0]]
    for other in (
        "fix grains all shape/granular/plus file a.stl density 1",
        "fix glue all granular/bond form 1",
        "pair_coeff * * hooke 1 1 tangential linear_history 1 1 1 bond beam 1 1 1",
        "read_restart state",
    ):
        assert "force_x" not in outputs.local(f"{log}{other}\n", table)
    assert "force_x" not in outputs.local("", found.drop(columns=["force_x", "force_y", "force_z"]))


def test_command_shows_the_table(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert commands.main(["columns", "granular/ledger"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"c_ID\[10\] +slip +energy +energy lost in sliding friction", shown)
    assert "p4" not in shown
    assert commands.main(["columns"]) == 0
    shown = capsys.readouterr().out
    for table in outputs.ALL:
        assert table.style in shown
        assert all(entry.meaning in shown for entry in table.entries)


BARE = re.compile(r"[cf]_(?:books|ledger|energies|wall|floor|drum)\[\d|pair/local[^`\n]*\bp\d")


def test_python_asks_by_name():
    """Only LAMMPS scripts use the index numbers of outputs."""
    explain = [ROOT / "pysuite" / "outputs.py", Path(__file__)]
    files = [f for top in ("pysuite", "validation", "tests") for f in (ROOT / top).rglob("*.py")]
    bare = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in files
        if file not in explain
        for line in file.read_text().splitlines()
        if BARE.search(line)
    ]
    assert bare == []


@pytest.mark.parametrize("script", sorted((ROOT / "inputs").glob("in.*")), ids=lambda f: f.name)
def test_scripts_say_what_their_numbers_are(script):
    """Comments state the names, as in `# c_ledger: 10 slip, 23 residual`."""
    text = re.sub(r"&\s*\n", " ", script.read_text())
    said = {
        (vector, int(number)): name
        for vector, entries in re.findall(r"^# ([cf]_\w+|p): (.*)", text, re.MULTILINE)
        for number, name in (entry.split() for entry in entries.split(", "))
    }
    # a fix counts as a wall if its style is the variable ${wall} or ${floor}
    walls = re.findall(r"^\s*fix\s+(\w+)\s+\w+\s+\$\{(?:wall|floor)\}", text, re.MULTILINE)
    tables = {"c_ledger": LEDGER, "p": PAIR} | {f"f_{name}": WALL for name in walls}
    asked = {(v, int(n)) for v, n in re.findall(r"\b([cf]_\w+)\[(\d+)\]", text) if v in tables}
    asked |= {
        ("p", int(number))
        for words in re.findall(r"^compute\s+\w+ \w+ pair/local (.*)", text, re.MULTILINE)
        for number in re.findall(r"\bp(\d+)\b", words)
    }
    assert said == {(v, n): tables[v].names[n - 1] for v, n in asked}
