"""Draw pictures of docs/howto with `pysuite picture`: python docs/draw_pictures.py [NAME ...].

For each picture, a script of inputs/ runs, and its last frame is drawn. All pictures take three
minutes on one core. The picture `view` shows a page of `pysuite view` in Chromium. Run this program
in the environment of `make test`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from PIL import Image

from pysuite import commands, engine

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "howto" / "figures"
DUMP = (
    "write_dump all custom grains.dump id type x y z radius vx vy vz {}"
    "modify sort id time yes units yes\n"
)
CONTACTS = """compute ends all property/local patom1 patom2
compute pair all pair/local dist force p10 p11 p12 p50 p51 p52
run 0
write_dump all local contacts.dump index c_ends[*] c_pair[*]
"""
FILM = """dump film all custom 2000 grains.dump id type x y z radius vx vy vz
dump_modify film sort id time yes units yes
run 10000
"""
LIQUID = "variable liquid atom c_liquid[1]+c_liquid[2]\n"
EVERY = 1000  # steps between files of a mesh
SMALL = "--size 640 480 "


class Picture(NamedTuple):
    """The script and the command that make a picture.

    Attributes:
        script: name of the script in inputs/, without "in.".
        words: options of the command; a word with * is replaced by all matching files.
        variables: values of the script's variables.
        commands: LAMMPS commands that are appended to the script.
        dump: the file that is drawn.
        command: the command of pysuite, "picture" or "view".
    """

    script: str
    words: str
    variables: Mapping[str, object] = MappingProxyType({})
    commands: str = DUMP.format("")
    dump: str = "grains.dump"
    command: str = "picture"


def _dumped(script: str, words: str, variables: dict[str, object] | None = None) -> Picture:
    """Return a picture of a script that writes its own dump."""
    return Picture(
        script, SMALL + words, {"dump": "yes", **(variables or {})}, "", f"{script}.dump"
    )


WORK = '--colour c_lost --label "plastic work"'
POWDERS = {
    "tablet": f"{WORK} --eye 0.3 -2 0.6",
    "cohesive_heap": f"{WORK} --eye 0.6 -2 0.5",
    "caked_silo": f"{WORK} --eye 0 -2 0",
}
PICTURES = {
    "mesh_hopper": Picture("mesh_hopper", f"{SMALL}--meshes *.vtp --eye -1 -2.2 0.9"),
    "auger": Picture(
        "auger",
        f"{SMALL}--meshes *.vtp --log log.lammps --regions tube --eye 0.9 -2 0.7 --up 1 0 0",
        {"length": 24, "settle": 4, "turns": 1.5},
        "region tube cylinder z 0 0 5 -1 34 open 1 open 2 units box\n" + DUMP.format(""),
    ),
    "lifters": Picture("lifters", f"{SMALL}--meshes *.vtp --eye 0.4 -2 0.3"),
    "belt": Picture(
        "belt",
        f"{SMALL}--meshes *.vtp --eye 0.6 -2 0.8",
        {"n": 400, "length": 24, "width": 6, "time": 11},
    ),
    "dice": Picture("dice", f"{SMALL}--shapes dice.*.vtp", {"vtk": 500}),
    "wet": Picture(
        "wet_mixing",
        f"{SMALL}--colour v_liquid --label liquid --log log.lammps --regions drum --eye 0.3 -2 0.3",
        {"turns": 0.4},
        LIQUID + DUMP.format("v_liquid "),
    ),
    "chains": Picture(
        "heap",
        "--size 640 360 --chains contacts.dump --log log.lammps --eye 0.2 -2 0.5",
        {"n": 600},
        CONTACTS + DUMP.format(""),
    ),
    "view": Picture("mesh_hopper", "--meshes *.vtp", {}, FILM, command="view"),
    "brazilian": _dumped("brazilian", "--cracks brazilian.csv --eye 0 -1 0"),
    "uniaxial": _dumped("uniaxial", "--cracks uniaxial.csv --eye 0.4 -2 0.3", {"strain": -0.02}),
    "agglomerate": _dumped("agglomerate", "--eye 0.4 -2 0.4"),
    **{name: _dumped(name, words) for name, words in POWDERS.items()},
    **{f"{name}_dry": _dumped(name, words, {"kc": 0}) for name, words in POWDERS.items()},
}


def main(names: list[str]) -> None:
    """Draw the pictures with these names, or all pictures."""
    for name in names or PICTURES:
        picture = PICTURES[name]
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            script = with_meshes((ROOT / "inputs" / f"in.{picture.script}").read_text())
            variables = dict(picture.variables)
            if "${here}" in script:
                variables["here"] = str(ROOT / "inputs")
            run = engine.run(script + picture.commands, folder=folder, variables=variables)
            (folder / "log.lammps").write_text(run.log)
            words = []
            for word in shlex.split(picture.words):
                is_file = "*" in word or (folder / word).is_file()
                words += sorted(map(str, folder.glob(word))) if is_file else [word]
            page = folder / "run.html"
            output = page if picture.command == "view" else FIGURES / f"{name}.jpg"
            dump = str(folder / picture.dump)
            if commands.main([picture.command, dump, *words, "-o", str(output)]):
                sys.exit(1)
            if output == page:
                photograph(page, FIGURES / f"{name}.png")


def with_meshes(script: str) -> str:
    """Return the script, changed so that it writes its meshes to files, also at the end."""
    written = re.sub(
        r"(?m)^(fix +(\S+) .* mesh .*?)( vtk .*)?$", rf"\1 vtk {EVERY} \2.*.vtp", script
    )
    return written if written == script else f"{written}\nrun $({EVERY}-step%{EVERY}) post no\n"


def photograph(page: Path, picture: Path) -> None:
    """Take a picture of a page in Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium found")
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--use-angle=swiftshader"]
    options += ["--enable-unsafe-swiftshader", f"--user-data-dir={page.parent / 'profile'}"]
    options += ["--virtual-time-budget=5000", "--window-size=900,640", f"--screenshot={picture}"]
    subprocess.run([browser, *options, f"{page.as_uri()}#frame=2"], check=True, timeout=120)
    with Image.open(picture) as image:
        image.convert("RGB").save(picture, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
