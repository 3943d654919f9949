"""Shared parts of the black boxes that are files, such as FMUs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ._errors import BacksolveError
from .inputs import Value


class RunFailed(Exception):
    """The file was run, and has no outputs for this input."""


class Fault(BacksolveError):
    """The file cannot be run here, whatever the input."""

    @property
    def body(self) -> Mapping[str, str]:
        return {"message": str(self)}


class MissingPackageError(Fault):
    """A package is not installed that this kind of file needs."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"The package {package} is missing: run pip install 'backsolve[{extra}]'.")
        self._package = package

    @property
    def body(self) -> Mapping[str, str]:
        return {"missing": self._package}


@dataclass(frozen=True)
class Request:
    """A run that a problem file asks for."""

    inputs: Mapping[str, Value]
    """By the names of the inputs in the problem file."""
    outputs: Sequence[str]
    curves: Mapping[str, Sequence[float | None] | None]
    """Points at which the data of the fitted outputs were measured, None at their gaps; None if only their order is known."""
    seconds: float
    """The longest time of the run."""
    is_wanted: Callable[[], bool]
    """False once its result is no longer waited for: what runs should end."""


class Box(Protocol):
    """A black box that is open. Called from several threads."""

    def run(self, request: Request) -> Mapping[str, object]:
        """A number for each output, a list for a fit; raises RunFailed or TryAgain."""

    def close(self) -> None:
        """Ends what runs."""


class Kind(Protocol):
    """The functions of a module that the table of serve.py names. Both raise Fault."""

    def describe(self, settings: Mapping[str, Any]) -> Mapping[str, Any]: ...

    def open_box(self, settings: Mapping[str, Any]) -> Box: ...
