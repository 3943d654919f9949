"""Describes operations of the interface and their answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")
JSON_MEDIUM = "application/json"
XLSX_MEDIUM = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BYTE_MEDIA = (XLSX_MEDIUM, "application/pdf", "application/octet-stream", "image/jpeg")
"""Answers that are no text."""
LINES_MEDIUM = "application/x-ndjson"


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer of the service."""

    status: int
    body: T
    headers: Mapping[str, str]
    """Their names are in lower case."""


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation. `answers` has the type of the JSON body for each status of success, `line` that of a line of JSON."""

    id: str
    method: str
    path: str
    """Below /v1, with parameters in braces."""
    answers: Mapping[int, str | None]
    line: str | None = None


@cache
def adapter_of(type_name: str) -> TypeAdapter[Any]:
    """Reads a type of the models, such as list[m.Model]."""
    from ._generated import models as m  # noqa: F401, PLC0415 - only here, since the models take a while to load

    return TypeAdapter(eval(type_name))  # noqa: S307 - the names are those of the generated operations


class Caller(ABC):
    """Calls operations."""

    @abstractmethod
    def _call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        body: Any = None,
        medium: str = JSON_MEDIUM,
        timeout: float | None = None,
    ) -> Answer[Any]: ...

    @abstractmethod
    def _lines(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Iterator[Any]: ...


class AsyncCaller(ABC):
    """Calls operations asynchronously."""

    @abstractmethod
    async def _call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        body: Any = None,
        medium: str = JSON_MEDIUM,
        timeout: float | None = None,
    ) -> Answer[Any]: ...

    @abstractmethod
    def _lines(
        self,
        operation: Operation,
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[Any]: ...
