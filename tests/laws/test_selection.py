"""The contact models that are tested on a push contain each permitted pair of laws."""

from __future__ import annotations

import itertools

import pytest

from pysuite import laws

ROLES = [role for role in laws.registry() if role != "bond"]


def test_every_row_is_allowed_and_every_allowed_pair_occurs(pairwise):
    factors = {"a": range(5), "b": range(4), "c": range(3), "d": range(2)}

    def allowed(row):
        return (row.get("a"), row.get("c")) != (1, 2) and (row.get("b"), row.get("d")) != (3, 1)

    rows = pairwise(factors, allowed)
    assert all(row.keys() == factors.keys() and allowed(row) for row in rows)
    for one, other in itertools.combinations(factors, 2):
        met = {(row[one], row[other]) for row in rows}
        expected = {
            (x, y)
            for x, y in itertools.product(factors[one], factors[other])
            if allowed({one: x, other: y})
        }
        assert met == expected
    assert 20 <= len(rows) < 30  # the minimum is 20
    assert pairwise(factors, allowed) == rows


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(ROLES, 2)))
def test_each_two_laws_that_the_grammar_allows_are_in_one_model(one, other, selection, text_of):
    met = {(row[one]["name"], row[other]["name"]) for row in selection}
    accepted = {
        (first["name"], second["name"])
        for first, second in itertools.product(local(one), local(other))
        if any(is_accepted(text_of(row)) for row in companies({one: first, other: second}))
    }
    assert met == accepted


def local(role):
    return [law for law in laws.registry()[role] if not law["non_local"]]


def companies(chosen):
    plain = {role: entries[0] for role, entries in laws.registry().items()}
    for normal, damping in itertools.product(local("normal"), local("damping")):
        row = plain | {"normal": normal, "damping": damping} | chosen
        # a law with its own damping takes no damping model; `velocity` stands for none
        if not row["normal"]["per_collision"] or row["damping"]["name"] == "velocity":
            yield row


def is_accepted(text):
    try:
        laws.ContactModel(text)
    except ValueError:
        return False
    return True
