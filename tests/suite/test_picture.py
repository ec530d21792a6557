"""Pictures without a screen: that something is drawn where it must be, and what cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pysuite import (
    commands,
    engine,
)
from pysuite.pictures import at_step, coloured

pytest.importorskip("pyvista", reason="pictures need the extra `pictures`")

DUMP = """ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS ff ff ff
-2 2
-2 2
-2 2
ITEM: ATOMS id type x y z radius vx vy vz
1 1 -1 0 0 0.99 0 0 0
2 2 {x} 0 0 1 3 0 4
"""


@pytest.fixture
def dump(tmp_path) -> Path:
    path = tmp_path / "grains.dump"
    path.write_text(DUMP.format(step=0, x=1.5) + DUMP.format(step=10, x=1))
    return path


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def test_a_picture_shows_both_grains_in_their_colours(dump):
    picture = dump.with_name("a.png")
    words = ["picture", str(dump), "-o", str(picture), "--eye", "0", "-1", "0"]
    assert commands.main([*words, "--size", "400", "300"]) == 0
    found = pixels(picture)
    assert found.shape == (300, 400, 3)
    assert (found[0, 0] == 255).all()
    grains = (found.min(axis=2) < 200)[:, :340]
    assert 0.05 < grains.mean() < 0.6
    left, right = found[150, 150], found[150, 250]
    assert left[2] > left[0]  # slow: violet
    assert right[0] > right[2]  # fast: yellow


def test_a_film_has_all_frames(dump):
    picture = dump.with_name("a.gif")
    assert commands.main(["picture", str(dump), "-o", str(picture), "--size", "200", "150"]) == 0
    with Image.open(picture) as film:
        assert film.n_frames == 2


def test_force_chains_and_meshes_are_drawn(dump, tmp_path, capsys):
    import pyvista

    pyvista.Plane(center=(0, 0, -1.2), i_size=4, j_size=4).triangulate().save(tmp_path / "f.0.vtp")
    contacts = tmp_path / "contacts.dump"
    contacts.write_text(
        "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS ff ff ff\n"
        "-2 2\n-2 2\n-2 2\nITEM: ENTRIES index patom1 patom2 force separation_x separation_y "
        "separation_z point_x point_y point_z\n1 1 2 5 -2 0 0 1 0 0\n"
    )
    picture = tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--meshes", str(tmp_path / "f.0.vtp")]
    assert commands.main([*words, "--chains", str(contacts), "--size", "400", "300"]) == 0
    assert (pixels(picture)[:, :340].max(axis=2) < 120).any()  # the tube is dark
    contacts.write_text(contacts.read_text().replace("ITEM: TIMESTEP\n10", "ITEM: TIMESTEP\n0"))
    assert commands.main([*words, "--chains", str(contacts)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "has no frame of step 10, which" in told
    assert "its last is of step 0" in told


def test_chains_pass_through_the_contact_point(dump, tmp_path, capsys):
    """It lies beside the line of the centres where grains have a shape."""
    head = "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS ff ff ff\n"
    head += 3 * "-2 2\n"
    columns = "ITEM: ENTRIES patom1 force separation_x separation_y separation_z"
    contacts, picture = tmp_path / "contacts.dump", tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--chains", str(contacts)]
    words += ["--eye", "0", "-1", "0", "--size", "400", "300"]
    dark = []
    for height in (0.0, 0.8):
        point = f"point_x point_y point_z\n1 5 -2 0 0 1 0 {height}\n"
        contacts.write_text(f"{head}{columns} {point}")
        assert commands.main(words) == 0
        rows = np.nonzero((pixels(picture)[:, 190:210].max(axis=2) < 120).any(axis=1))[0]
        dark.append(rows.mean())
    assert abs(dark[0] - 150) < 5
    assert dark[1] < 130  # above the middle
    contacts.write_text(f"{head}{columns} normal_x normal_y normal_z\n1 5 -2 0 0 -0.6 0 -0.8\n")
    assert commands.main(words) == 2
    assert "no column point_x: add the word p" in " ".join(capsys.readouterr().err.split())


def test_broken_bonds_are_drawn_in_glassy_grains(dump, tmp_path):
    """Those of the frame: red in tension, blue in shear."""
    table = tmp_path / "events.csv"
    rest = "axial,0,0,0,0,0"
    table.write_text(
        "step,time,id_i,id_j,x,y,z,mode,load,axial,bending,shear,torsion,energy\n"
        f"10,0,1,2,-1,0,0,tension,{rest}\n10,0,1,2,1,0,0,shear,{rest}\n"
        f"11,0,1,2,0,0,0,tension,{rest}\n"
    )
    picture = tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--cracks", str(table)]
    assert commands.main([*words, "--eye", "0", "-1", "0", "--size", "400", "300"]) == 0
    found = pixels(picture)
    red, _, blue = np.moveaxis(found, 2, 0)
    assert (red - blue)[150, 120:180].max() > 80
    assert (blue - red)[150, 220:280].max() > 80
    assert np.abs(red - blue)[150, 195:205].max() < 80
    table.write_text("step,time\n1,0\n")
    assert commands.main([*words]) == 2


def test_a_restart_file_is_drawn(tmp_path):
    engine.run(
        "units lj\natom_style sphere\nregion b block -2 2 -2 2 -2 2\ncreate_box 1 b\n"
        "create_atoms 1 single 0 0 0\nset group all diameter 1 density 1\n"
        "comm_modify vel yes\npair_style granular/plus\npair_coeff * * hooke 1e4 20 tangential "
        "linear_nohistory 1 0.5\nrun 0\nwrite_restart state\n",
        folder=tmp_path,
    )
    picture = tmp_path / "a.png"
    words = ["picture", str(tmp_path / "state"), "-o", str(picture), "--colour", "type"]
    assert commands.main([*words, "--size", "200", "150"]) == 0
    assert (pixels(picture).min(axis=2) < 200).mean() > 0.05


def test_the_mesh_of_a_frame_is_the_last_before_it():
    files = [Path(f"drum.{n}.vtp") for n in (0, 100, 1000)] + [Path("lid.50.vtp")]
    assert at_step(files, 500) == [Path("drum.100.vtp"), Path("lid.50.vtp")]
    assert at_step(files, 20) == [Path("drum.0.vtp")]


def test_what_cannot_be_drawn_is_told(dump, capsys):
    assert commands.main(["picture", str(dump), "-o", "a.bmp"]) == 2
    assert "a.bmp: .bmp must be .png, .jpg" in capsys.readouterr().err.replace("\n", " ")
    assert commands.main(["picture", str(dump), "-o", "a.png", "--colour", "d_film"]) == 2
    assert "the dump has no column d_film" in capsys.readouterr().err
    with pytest.raises(ValueError, match="no column fx"):
        coloured(pd.DataFrame({"x": [1.0]}), "force")
