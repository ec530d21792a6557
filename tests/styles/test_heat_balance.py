"""Grains gain the sum of the heat from contacts and from walls. All heat models are active."""

from __future__ import annotations

import pytest

from pysuite.outputs import LEDGER

CAPACITY = 0.5
CONTACT = (
    "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3"
    " bridge willett 5 20 volume 2e-3"
)
HEAT = "heat radius 40 friction 0.9 gas 20 1e-3 lens 0.3 radiation 0.8 2e-7 view 0.6 liquid 25 1e-3"
GO_ON = f"""{{move}}
fix flow all heat/flow constant {CAPACITY}
fix warm all granular/temperature expansion 3e-5 reference 300
fix plane all wall/granular/plus {CONTACT} {HEAT} zplane 0 NULL temperature 500
compute thermal all property/atom temperature
variable warmth atom {CAPACITY}*mass*c_thermal
compute warmth all reduce sum v_warmth
compute books all granular/ledger
thermo_style custom step c_warmth c_books[*]
thermo_modify norm no format float %.17g
"""
BEGIN = f"""{{setup}}
fix heat all property/atom temperature heatflow ghost yes
variable start atom 300+10*sin(id)
set group all temperature v_start
pair_style granular/plus ledger yes
pair_coeff * * {CONTACT} {HEAT}
{GO_ON}
"""


def balance(run) -> tuple[float, float, float]:
    made, given = LEDGER.of("c_books", "heat_made", "heat_walls").split()
    last = run.thermo.iloc[-1]
    return last["c_warmth"], last[made], last[given]


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_heat_balance_closes(packing, tools, newton, ranks):
    words = {"setup": tools.setup, "move": tools.move}
    run = packing.run(BEGIN.format(**words) + "run 200\n", newton=newton, ranks=ranks)
    start = run.thermo["c_warmth"].iloc[0]
    warmth, made, given = balance(run)
    assert made > 1e-6 * start
    assert given > 1e-4 * start
    assert warmth == pytest.approx(start + made + given, rel=1e-12)


@pytest.mark.parametrize("ranks", [1, 2])
def test_heat_balance_goes_on_over_a_restart(packing, tools, ranks):
    words = {"setup": tools.setup, "move": tools.move}
    begin = BEGIN.format(**words) + "run 100\n"
    state = (
        "write_dump all custom end.dump id x y z vx radius c_thermal "
        "modify sort id format float %.17g\n"
    )
    whole = packing.run(f"{begin}write_restart half.restart\nrun 100\n{state}", ranks=ranks)
    again = packing.run(
        f"""read_restart {whole.folder}/half.restart
comm_modify vel yes
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
fix heat all property/atom temperature heatflow ghost yes
{GO_ON.format(**words)}
run 100
{state}""",
        ranks=ranks,
    )
    start = whole.thermo["c_warmth"].iloc[0]
    warmth, made, given = balance(again)
    assert warmth == pytest.approx(start + made + given, rel=1e-12)
    ours, theirs = (run.dump("end.dump") for run in (again, whole))
    # the order of neighbour lists differs
    for column in ("x", "z", "radius", "c_thermal"):
        assert ours[column].to_numpy() == pytest.approx(theirs[column].to_numpy(), rel=1e-10)
    assert theirs["radius"].to_numpy() != pytest.approx(
        whole.dump("end.dump")["radius"].to_numpy() * (1 + 1e-9), rel=1e-12
    )
