"""Patients for the tests of the parts: what a check is given."""

from __future__ import annotations

from paramedic.checkup.options import Options
from paramedic.checkup.patient import Patient
from paramedic.checkup.preserving import preserved
from paramedic.checkup.subject import subject_of

from .case import Case


def patient(case: Case) -> Patient:
    """The patient that a check of this case would get."""
    options = Options(**case.options)
    with preserved(case.model):
        subject = subject_of(case.model, case.batch, case.loss_fn, case.optimizer, options)
    return Patient(subject)
