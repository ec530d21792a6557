"""Validation cases: definition, discovery, runs and verdicts."""

from pysuite.errors import CaseError
from pysuite.files import prepare_folder
from pysuite.names import select
from pysuite.validation.case import TIERS, Case, Context
from pysuite.validation.claims import Claim, register
from pysuite.validation.discovery import (
    cases_folder,
    discover,
    load_case,
    load_cases,
    parse_settings,
)
from pysuite.validation.runner import (
    OUTPUT_FILE,
    SCRATCH_FOLDER,
    run_case,
    run_cases,
)
from pysuite.validation.verdict import (
    KINDS,
    RESULT_FILE,
    Attachment,
    Result,
    Verdict,
    judge,
)

__all__ = [
    "KINDS",
    "OUTPUT_FILE",
    "RESULT_FILE",
    "SCRATCH_FOLDER",
    "TIERS",
    "Attachment",
    "Case",
    "CaseError",
    "Claim",
    "Context",
    "Result",
    "Verdict",
    "cases_folder",
    "discover",
    "judge",
    "load_case",
    "load_cases",
    "parse_settings",
    "prepare_folder",
    "register",
    "run_case",
    "run_cases",
    "select",
]
