"""The exceptions of this package. All are a BacksolveError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BacksolveError(Exception):
    """Anything that this package raises on purpose."""


@dataclass(frozen=True)
class Violation:
    """A rule that a request breaks."""

    property: str
    """Place of the violation: an argument, an input or a goal; in a request of the client its field, for example input_names[2]."""
    pointer: str
    """The field of the interface, as a JSON pointer: /inputNames/2."""
    message: str
    parts: tuple[Mapping[str, Any], ...] = ()
    """The message in pieces, where it refers to other fields."""


class ServiceError(BacksolveError):
    """The service refused a request. Every kind of problem has a class of its own; a kind that is newer than this client has this one."""

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int,
        violations: tuple[Violation, ...] = (),
        instance: str = "",
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        """Such as NOT_FOUND."""
        self.status = status
        self.violations = violations
        self.instance = instance
        self.retry_after = retry_after
        """Seconds that the service asks to wait before a repetition."""
        self.request_id = request_id

    def __str__(self) -> str:
        lines = [f"  {each.property}: {each.message}" if each.property else f"  {each.message}" for each in self.violations]
        is_said = all(each.message in self.detail for each in self.violations)
        return self.detail if is_said else "\n".join([self.detail, *lines])

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.detail, {key: value for key, value in vars(self).items() if key != "detail"})


def _rebuild(kind: type[ServiceError], detail: str, fields: dict[str, Any]) -> ServiceError:
    return kind(detail, **fields)


class UnreachableError(BacksolveError):
    """No answer came, even after the retries. The cause is the error of the last attempt."""


class TimeLimitError(UnreachableError):
    """The answer took longer than the time limit."""


class NotBacksolveError(BacksolveError):
    """The address does not belong to a Backsolve service, but to a proxy, a login page or another site."""


class IncompatibleServiceError(BacksolveError):
    """The service is older or newer than this client understands."""


class LocalServiceError(BacksolveError):
    """No service can be started on this machine; the message says what is missing."""


class OutputError(BacksolveError):
    """A black box returned something that is no output of the problem. That is a mistake in the program, so nothing is reported."""

    returned: Mapping[str, float] | None = None
    """Numbers under other names: what the run was worth once the names are corrected."""


class SpreadsheetError(BacksolveError):
    """A workbook cannot be the black box: it cannot be read or calculated here, or a cell is not what it should be."""


class ExecutorError(BacksolveError):
    """The executor of a call of solve does not run the black box. Nothing is recorded of the runs that it lost."""


class EndedError(BacksolveError):
    """A signal came while the black box ran in this process, and then it failed. Nothing is recorded of that run."""


class ChangedProblemError(BacksolveError):
    """A call under the same name has other inputs or outputs than the runs that are kept."""


class BusyError(BacksolveError):
    """Another process works on the same problem."""


class JournalError(BacksolveError):
    """The journal of earlier runs cannot be read."""


class TryAgain(Exception):
    """Raise it in a black box when the machine failed, not the input: no licence, a full disk. The run is tried again, a few times."""
