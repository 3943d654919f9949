"""Backsolve finds the inputs of an expensive black box that give the outputs you want, in as few runs as it can."""

from ._errors import (
    BacksolveError,
    BusyError,
    ChangedProblemError,
    EndedError,
    ExecutorError,
    IncompatibleServiceError,
    JournalError,
    LocalServiceError,
    NotBacksolveError,
    OutputError,
    ServiceError,
    SpreadsheetError,
    TimeLimitError,
    TryAgain,
    UnreachableError,
    Violation,
)
from ._exchange import Retry
from ._generated import models, problems
from ._generated.operations import VERSION
from ._least_squares import LeastSquaresResult, least_squares
from ._operation import Answer
from .client import AsyncBacksolve, Backsolve, async_pages, pages
from .fitted import FitResult, Parameter
from .fitting import Fit, fit
from .fmus import Fmu, fmu
from .goals import Goal, above, at_least, at_most, below, exact, maximize, minimize, within
from .inputs import Input, boolean, choice, integer, levels, log, real
from .problem import Advice
from .project import AsyncEvaluation, AsyncProject, Evaluation, Project
from .result import History, Result, Run
from .solving import solve, solve_async
from .sources import Source
from .spreadsheets import Spreadsheet, spreadsheet

__version__ = VERSION

__all__ = [
    "Advice",
    "Answer",
    "AsyncBacksolve",
    "AsyncEvaluation",
    "AsyncProject",
    "Backsolve",
    "BacksolveError",
    "BusyError",
    "ChangedProblemError",
    "EndedError",
    "Evaluation",
    "ExecutorError",
    "Fit",
    "FitResult",
    "Fmu",
    "Goal",
    "History",
    "IncompatibleServiceError",
    "Input",
    "JournalError",
    "LeastSquaresResult",
    "LocalServiceError",
    "NotBacksolveError",
    "OutputError",
    "Parameter",
    "Project",
    "Result",
    "Retry",
    "Run",
    "ServiceError",
    "Source",
    "Spreadsheet",
    "SpreadsheetError",
    "TimeLimitError",
    "TryAgain",
    "UnreachableError",
    "Violation",
    "__version__",
    "above",
    "async_pages",
    "at_least",
    "at_most",
    "below",
    "boolean",
    "choice",
    "exact",
    "fit",
    "fmu",
    "integer",
    "least_squares",
    "levels",
    "log",
    "maximize",
    "minimize",
    "models",
    "pages",
    "problems",
    "real",
    "solve",
    "solve_async",
    "spreadsheet",
    "within",
]
