"""Validation cases: what a case is, where cases are found, how they run and are judged."""

from pysuite.cases.case import TIERS, Case, Context
from pysuite.cases.claims import Claim, register
from pysuite.cases.discovery import (
    cases_folder,
    discover,
    load_case,
    load_cases,
    parse_settings,
    select,
)
from pysuite.cases.figures import FIGURE_STYLE, PREVIEW, panels, prepare_figures
from pysuite.cases.intervals import Interval
from pysuite.cases.runner import OUTPUT_FILE, SCRATCH_FOLDER, prepare_folder, run_case, run_cases
from pysuite.cases.verdict import KINDS, RESULT_FILE, Attachment, CaseError, Result, Verdict, judge

__all__ = [
    "FIGURE_STYLE",
    "KINDS",
    "OUTPUT_FILE",
    "PREVIEW",
    "RESULT_FILE",
    "SCRATCH_FOLDER",
    "TIERS",
    "Attachment",
    "Case",
    "CaseError",
    "Claim",
    "Context",
    "Interval",
    "Result",
    "Verdict",
    "cases_folder",
    "discover",
    "judge",
    "load_case",
    "load_cases",
    "panels",
    "parse_settings",
    "prepare_figures",
    "prepare_folder",
    "register",
    "run_case",
    "run_cases",
    "select",
]
