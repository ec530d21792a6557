"""The bibliography: citations in laws and cases, and their form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pysuite import laws, sources, validation
from pysuite.errors import CaseError
from pysuite.validation import (
    report,
)

ROOT = Path(__file__).parents[2]


def cited() -> set[str]:
    entries = [law for laws_ in laws.registry().values() for law in laws_] + [laws.attraction()]
    of_laws = {key for law in entries for key in law["cites"]}
    of_cases = {key for case in validation.discover() for key in sources.keys(case.source)}
    return of_laws | of_cases | set(report.ALWAYS_CITED)


def test_nothing_is_listed_in_vain_or_missing():
    assert cited() == set(sources.bibliography())


@pytest.mark.parametrize("key", sources.bibliography())
def test_citations_are_of_one_style(key):
    """The style is `authors, title, journal volume (year) page`."""
    year = re.search(r"\d{4}", key)[0]
    assert re.fullmatch(rf"[^()]+, .+ \({year}\)( [0-9]+)?(, doi:10\.\S+)?", sources.full(key))
    assert re.fullmatch(rf"[^()]+, .+ \({year}\)( [0-9]+)?", sources.short(key))
    assert "{" not in sources.full(key)


def test_cases_cite_papers_by_keys_only():
    """A source may contain a year only as part of a version of LAMMPS."""
    plain = [sources.KEY.sub("", case.source) for case in validation.discover()]
    dated = [text for text in plain if re.search(r"\b(1[89]|20)\d\d\b", text)]
    assert [text for text in dated if "LAMMPS" not in text] == []


def test_keys_become_short_citations():
    text = "[maw1976] fig. 6; mechanics; [noije1998]"
    assert sources.expand(text) == (
        "Maw, Barber & Fawcett, Wear 38 (1976) 101, fig. 6; mechanics;"
        " van Noije & Ernst, Granular Matter 1 (1998) 57"
    )
    assert sources.short("willett2000") == "Willett et al., Langmuir 16 (2000) 9396"
    assert sources.short("hertz1882").startswith("Hertz, J. reine angew. Math.")
    assert sources.full("thompson2022").startswith("A. P. Thompson et al., LAMMPS")
    assert sources.full("maw1976").startswith("N. Maw, J. R. Barber and J. N. Fawcett, The oblique")


def test_a_case_that_cites_what_is_not_there_is_refused(make_case):
    with pytest.raises(CaseError, match=r"cites nobody1999, which is not in sources\.bib"):
        make_case(source="[nobody1999] fig. 1")


def test_the_software_cites_the_same_papers():
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    by_doi = {e.fields.get("doi"): e.fields for e in sources.bibliography().values()}
    assert len(references) == len(report.ALWAYS_CITED)
    for reference in references:
        fields = by_doi[reference["doi"]]
        assert str(reference["year"]) == fields["year"]
        assert reference["title"].replace(" - ", " – ") == " ".join(fields["title"].split())
        assert reference["journal"] == fields["journal"]
