# %% [markdown]
# # From a heap of dry grains to a wet one
#
# The page heap.md explains each step. Run all of it with `python heap.py`, or cell by cell in an
# editor that supports the percent format (VS Code, Spyder, PyCharm, Jupyter with jupytext).
# Pictures go to the current folder.

# %%
from pathlib import Path

import matplotlib.pyplot as plt

from pysuite import engine

# a notebook has no __file__: run it in the folder of in.heap
SCRIPT = Path(globals().get("__file__", "heap.py")).with_name("in.heap")

# %% [markdown]
# ## 1. A heap

# %%
dry = engine.run(SCRIPT, variables={"picture": 1})
Path("heap-dry.jpg").write_bytes((dry.folder / "heap.jpg").read_bytes())
end = dry.thermo.iloc[-1]
print(f"slope of the dry heap: {end.v_slope:.0f} degrees")

# %% [markdown]
# ## 2. Where the energy went

# %%
STORED = ["v_potential", "v_kinetic", "v_elastic", "v_bridges"]
LOST = ["v_dashpots", "v_slip", "v_rolling", "v_ruptures", "v_numerical"]


def draw_balance(run: engine.Run, file: str) -> None:
    """Plot all entries of the ledger, stacked, against time: the sum must equal the dashed line."""
    thermo = run.thermo
    start = thermo[STORED].iloc[0].sum()
    entries = [name for name in STORED + LOST if thermo[name].max() > 0.01 * start]
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.stackplot(
        thermo.Time, [thermo[name] for name in entries], labels=[name[2:] for name in entries]
    )
    axes.plot(thermo.Time, start + thermo.v_walls, "k--", label="put in")
    axes.set(xlabel="time, in sqrt(d/g)", ylabel="energy, in density g d^4")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), reverse=True)
    figure.savefig(file, dpi=100)
    plt.close(figure)


draw_balance(dry, "balance-dry.png")
print((end[LOST] / end[LOST].sum()).round(3).to_string())

# %% [markdown]
# ## 3. Does the balance close?

# %%
finer = engine.run(SCRIPT, variables={"dt": 3e-4})
for run in (dry, finer):
    end = run.thermo.iloc[-1]
    print(f"{end.Step:.0f} steps: residual / losses = {abs(end.v_residual) / end[LOST].sum():.1e}")

# %% [markdown]
# ## 4. What friction must not do

# %%
old = engine.run(SCRIPT, variables={"slider": "dsds"})
for name, run in (("csds", dry), ("dsds", old)):
    created = run.thermo.v_created.iloc[-1] / run.thermo[STORED].iloc[0].sum()
    print(f"{name}: energy created / energy at the start = {created:.2f}")

# %% [markdown]
# ## 5. A wet heap

# %%
wet = engine.run(SCRIPT, variables={"gamma": 0.3, "picture": 1})
Path("heap-wet.jpg").write_bytes((wet.folder / "heap.jpg").read_bytes())
draw_balance(wet, "balance-wet.png")
end = wet.thermo.iloc[-1]
print(f"slope of the wet heap: {end.v_slope:.0f} degrees")
print(f"lost by ruptured bridges / all losses: {end.v_ruptures / end[LOST].sum():.2f}")
print(f"residual / losses = {abs(end.v_residual) / end[LOST].sum():.1e}")

# %% [markdown]
# ## 6. Many heaps

# %%
friction = {"mu": [0.1, 0.3, 0.6, 0.9], "gamma": [0, 0.3]}
heaps = engine.sweep(SCRIPT, friction, folder="heaps", jobs=2)
print(heaps.pivot(index="mu", columns="gamma", values="v_slope").round(0).to_string())
