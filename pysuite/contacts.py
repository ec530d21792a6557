"""Tables of contacts: touching grains, forces, lines of force, fragments.

`compute pair/local` of pair granular/plus gives all required data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

AXES = "xyz"
ENDS = ["patom1", "patom2"]
ROUNDING = 1e-4  # rounding error of directions in dumps
SEPARATION, FRICTION, FORCE, NORMAL, POINT = (
    [f"{name}_{axis}" for axis in AXES]
    for name in ("separation", "friction", "force", "normal", "point")
)


def need(table: pd.DataFrame, columns: list[str], name: str) -> None:
    """Raise ValueError if a column is missing."""
    missing = [column for column in columns if column not in table]
    if not missing:
        return
    remedies = []
    if name == "contacts":
        from pysuite.outputs import PAIR

        if missing[0] in PAIR.names:
            remedies.append(f"add the word p{PAIR.number(missing[0])} to compute pair/local")
        nameless = [name for name in map(str, table) if re.fullmatch(r"c_\S+|p\d+", name)]
        if nameless:
            remedies.append(
                f"if the missing column is one of the unnamed columns {', '.join(nameless)}, give"
                " the complete log of the run (option --log): this log contains the columns' names"
            )
    text = f"the table of {name} has no column {missing[0]}"
    raise ValueError(": ".join([text, "; or, ".join(remedies)] if remedies else [text]))


def rows_of(grains: pd.DataFrame, ids: ArrayLike) -> NDArray[np.intp]:
    """Return the row numbers of the grains with these IDs.

    Raises ValueError if the table lacks one of these IDs or contains any ID twice.
    """
    need(grains, ["id"], "grains")
    number = pd.Index(grains["id"])
    if number.has_duplicates:
        raise ValueError(
            "an ID occurs twice in the table of grains: the table must contain only one step"
        )
    wanted = np.asarray(ids, dtype=np.int64)
    rows = number.get_indexer(wanted.ravel())
    if (rows < 0).any():
        lost = wanted.ravel()[rows < 0][0]
        raise ValueError(f"a contact has grain {lost}, which is not in the table of grains")
    return np.asarray(rows).reshape(wanted.shape)


def joined(contacts: pd.DataFrame) -> NDArray[np.bool_]:
    """Return True for rows with a contact, bridge or bond: rows with a separation other than 0."""
    need(contacts, SEPARATION, "contacts")
    return (contacts[SEPARATION] != 0.0).any(axis=1).to_numpy()


def touching(contacts: pd.DataFrame) -> NDArray[np.bool_]:
    """Return True for rows whose grains touch.

    If the table has a column "gap", grains touch where the gap is negative. Otherwise, grains are
    assumed to touch where the separation is not 0, although some of these rows may only have a
    liquid bridge or a bond. If the table has neither of these columns, all grains are assumed to
    touch.
    """
    if "gap" in contacts:
        return (contacts["gap"] < 0.0).to_numpy()
    if set(SEPARATION) <= set(contacts):
        return joined(contacts)
    return np.ones(len(contacts), dtype=bool)


def with_forces_of_spheres(contacts: pd.DataFrame) -> pd.DataFrame:
    """Add the vectors of normals and forces to contacts of spheres without bonds."""
    if not set(SEPARATION) <= set(contacts):
        return contacts
    separation = contacts[SEPARATION].to_numpy(dtype=float)
    distance = np.linalg.norm(separation, axis=1)[:, None]
    normal = separation / np.where(distance > 0.0, distance, 1.0)
    found = dict(zip(NORMAL, normal.T, strict=True))
    if {"force", *FRICTION} <= set(contacts):
        force = contacts[["force"]].to_numpy(dtype=float) * normal
        force += contacts[FRICTION].to_numpy(dtype=float)
        found |= dict(zip(FORCE, force.T, strict=True))
    return contacts.assign(
        **{name: column for name, column in found.items() if name not in contacts}
    )


def normal_forces(contacts: pd.DataFrame) -> NDArray[np.float64]:
    """Return the normal forces of contacts as an array of shape (contacts,).

    Compressive forces are > 0. The forces are taken from column "force" or, if this column is
    missing, computed from the vectors of force and normal. Raises ValueError if the table contains
    neither column "force" nor these vectors.
    """
    if "force" in contacts or not set(FORCE) <= set(contacts):
        need(contacts, ["force"], "contacts")
        return contacts["force"].to_numpy(dtype=float)
    need(contacts, NORMAL, "contacts")
    found: NDArray[np.float64] = np.einsum(
        "ij,ij->i", contacts[FORCE].to_numpy(dtype=float), contacts[NORMAL].to_numpy(dtype=float)
    )
    return found


def paths(contacts: pd.DataFrame) -> NDArray[np.float64]:
    """Return the lines along which contacts transmit forces: shape (contacts, points, 3).

    Positions are relative to the centre of the first grain. The lines pass through the contact
    points if the table contains contact points. Raises ValueError if contact points are missing
    and a normal is not parallel to the line of centres.
    """
    need(contacts, SEPARATION, "contacts")
    end = -contacts[SEPARATION].to_numpy(dtype=float)
    if set(POINT) <= set(contacts):
        return np.stack([0.0 * end, contacts[POINT].to_numpy(dtype=float), end], axis=1)
    need(contacts, NORMAL, "contacts")
    aslant = np.cross(contacts[NORMAL].to_numpy(dtype=float), end)
    if (np.linalg.norm(aslant, axis=1) > ROUNDING * np.linalg.norm(end, axis=1)).any():
        need(contacts, POINT, "contacts")
    return np.stack([0.0 * end, end], axis=1)


def check_steps(tables: Mapping[str, pd.DataFrame]) -> None:
    """Raise ValueError if the columns "step" of the tables contain different steps."""
    first: tuple[str, int] | None = None
    for name, table in tables.items():
        for step in table["step"].unique() if "step" in table else ():
            if first is None:
                first = name, int(step)
            elif step != first[1]:
                raise ValueError(
                    f"the table of {name} is of step {step}, but the table of {first[0]} is of step"
                    f" {first[1]}: all tables must be of the same step"
                )


def fragment_numbers(grains: pd.DataFrame, contacts: pd.DataFrame) -> NDArray[np.int64]:
    """Return the fragment number of each grain as an array of shape (grains,).

    The heaviest fragment has number 0, the second heaviest has number 1, and so on.

    Args:
        grains: table of one step with columns "id" and "mass".
        contacts: table with columns "patom1", "patom2" and "bond", in the form returned by
            `Run.local`. Only rows with bond = 1 are used.

    Raises:
        ValueError: a column is missing, a bonded grain is not in the table of grains, or the two
            tables are from different steps.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    check_steps({"grains": grains, "contacts": contacts})
    need(grains, ["id", "mass"], "grains")
    need(contacts, [*ENDS, "bond"], "contacts")
    first, second = rows_of(grains, contacts.loc[contacts["bond"] == 1.0, ENDS]).T
    count = len(grains)
    graph = coo_matrix((np.ones(len(first)), (first, second)), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    heaviest = np.argsort(-np.bincount(label, weights=grains["mass"]), kind="stable")
    return np.asarray(np.argsort(heaviest)[label], dtype=np.int64)


def fragments(grains: pd.DataFrame, contacts: pd.DataFrame) -> pd.DataFrame:
    """Return a table with one row per fragment held together by bonds, the heaviest first.

    The columns are "grains" (number of grains) and "mass". A grain without bonds is also a
    fragment. For arguments and errors, see `fragment_numbers`.
    """
    number = pd.Series(fragment_numbers(grains, contacts), name="fragment")
    mass = grains["mass"].reset_index(drop=True).groupby(number)
    return pd.DataFrame({"grains": mass.size(), "mass": mass.sum()})
