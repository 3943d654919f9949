"""
Turns a request into an answer: attempts, waits between them, and errors. It sends nothing itself. A client drives it, synchronously or
not: it sends what `exchange` yields, and gives back what came.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias

import httpx
from pydantic import ValidationError

from ._errors import (
    BacksolveError,
    IncompatibleServiceError,
    NotBacksolveError,
    ServiceError,
    TimeLimitError,
    UnreachableError,
    Violation,
)
from ._generated.operations import VERSION
from ._generated.problems import PROBLEM_CLASSES
from ._operation import BYTE_MEDIA, JSON_MEDIUM, Answer, Operation, adapter_of
from ._refusals import message_in_python, property_in_python
from ._request import Request

TYPE_PREFIX = "urn:backsolve:problem:"
LONGEST_DELAY = 20.0
SPREAD = 0.1
"""The share by which a wait that the service asked for is lengthened at most, so that not all clients return together."""
NEVER_RETRIED = {501, 505}


@dataclass(frozen=True)
class Retry:
    """Announces that a request is sent again."""

    operation: str
    attempt: int
    """Attempts made so far."""
    delay: float
    """Seconds until the next one."""
    error: BacksolveError
    """Error of the last attempt."""


@dataclass(frozen=True)
class Settings:
    address: str
    maximum_retries: int = 8
    retry_for: float = 60.0
    first_delay: float = 0.25
    timeout: float = 60.0
    on_retry: Callable[[Retry], None] | None = None
    connect_for: float | None = None
    """As retry_for, while the first request finds nothing to connect to; None: as long."""


@dataclass(frozen=True)
class Send:
    request: Request
    timeout: float


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    content: bytes
    """Empty while the answer is still to be read line by line."""


Exchange: TypeAlias = Generator[Send | Pause, Any, Reply]


def exchange(request: Request, settings: Settings, timeout: float | None, *, is_first: bool = False) -> Exchange:
    """Yields what to send and how long to pause; is sent a Reply, or thrown the httpx.RequestError. Returns the Reply of success."""
    began = time.monotonic()
    limit = (settings.timeout if timeout is None else timeout) + request.wait
    attempt = 0
    while True:
        attempt += 1
        failure: BacksolveError
        try:
            reply: Reply = yield Send(request, limit)
            if reply.status < 400:
                _refuse_foreign(reply, request, settings.address)
                return reply
            failure = error_of(reply, request, settings.address)
            asked = failure.retry_after if isinstance(failure, ServiceError) else None
            if not _is_retryable(failure):
                raise failure
        except httpx.TimeoutException as error:
            asked = None
            failure = TimeLimitError(f"{settings.address} did not answer {request.operation} within {limit:g} s.")
            failure.__cause__ = error
        except httpx.RequestError as error:
            asked = None
            advice = " Check the address, and whether the service runs." if is_first else ""
            failure = UnreachableError(f"No answer from {settings.address}: {_words_of(error)}.{advice}")
            failure.__cause__ = error
        delay = retry_delay(attempt, settings.first_delay, asked)
        patience = settings.retry_for
        if is_first and settings.connect_for is not None and isinstance(failure.__cause__, httpx.ConnectError):
            patience = min(patience, settings.connect_for)
        if attempt > settings.maximum_retries or time.monotonic() - began + delay > patience:
            raise failure
        if settings.on_retry is not None:
            settings.on_retry(Retry(request.operation, attempt, delay, failure))
        yield Pause(delay)


def retry_delay(attempt: int, first: float, asked: float | None) -> float:
    """Seconds before the next attempt: exponential with full jitter, or what the service asked for and a little more."""
    if asked is not None:
        return asked * (1 + SPREAD * random.random())  # noqa: S311 - no secret
    return min(LONGEST_DELAY, first * 2.0 ** (attempt - 1)) * random.random()  # noqa: S311


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Seconds until the time in a Retry-After header: seconds, or a date, which the clock of the answer relates to."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+", value):
        return float(value)
    try:
        wanted = parsedate_to_datetime(value)
        answered = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return max(0.0, (wanted.astimezone(timezone.utc) - answered.astimezone(timezone.utc)).total_seconds())


def read_answer(reply: Reply, operation: Operation, request: Request, address: str) -> Answer[Any]:
    """The answer in its models. Raises IncompatibleServiceError when it has another form."""
    headers = reply.headers
    if request.medium in BYTE_MEDIA:
        return Answer(reply.status, reply.content or None, headers)
    if request.medium != JSON_MEDIUM:
        return Answer(reply.status, reply.content.decode(), headers)
    if not reply.content:
        return Answer(reply.status, None, headers)
    type_name = operation.answers.get(reply.status)
    if type_name is None:
        raise _not_understood(request, address, f"it has the status {reply.status}")
    return Answer(reply.status, _read_json(type_name, reply.content, request, address), headers)


def read_line(line: bytes, operation: Operation, request: Request, address: str) -> Any:
    """A line that is no JSON was cut off by a proxy that ended the answer in order."""
    try:
        json.loads(line)
    except (ValueError, RecursionError) as error:
        raise cut_off(request, address) from error
    return _read_json(str(operation.line), line, request, address)


def refuse_other_version(head: str, address: str) -> None:
    """Reads the beginning of the OpenAPI document. Until 1.0 every second number is an interface of its own."""
    title = re.search(r'"title":\s*"([^"]*)"', head)
    version = re.search(r'"version":\s*"(\d+)\.(\d+)\.[^"]*"', head)
    if title is None or title[1] != "Backsolve" or version is None:
        raise NotBacksolveError(f"There is no Backsolve service at {address}. Check the address; it ends before /v1.")
    major, minor = VERSION.split(".")[:2]
    theirs, mine = (int(version[1]), int(version[2])), (int(major), int(minor))
    if theirs[0] == mine[0] and (theirs[0] > 0 or theirs[1] == mine[1]):
        return
    older = "client" if theirs > mine else "service"
    raise IncompatibleServiceError(
        f"The service at {address} has version {theirs[0]}.{theirs[1]} of the interface, this client {mine[0]}.{mine[1]}. "
        f"Upgrade the {older}."
    )


def error_of(reply: Reply, request: Request, address: str) -> BacksolveError:
    """The error for an answer with a status from 400 on."""
    status = reply.status
    facts: dict[str, Any] = {
        "status": status,
        "retry_after": retry_after_of(reply.headers),
        "request_id": reply.headers.get("x-request-id"),
    }
    problem = _read_problem(reply.content)
    if problem is None:
        if status in (401, 404, 405):
            return _not_backsolve(reply, request, address)
        detail = f"{address} answered {_describe(reply)}, which comes not from Backsolve but from a server in front of it."
        return ServiceError(detail, code=f"HTTP_{status}", **facts)
    detail, instance = str(problem.get("detail", "")), str(problem.get("instance", ""))
    if status == 405 or detail == "There is nothing at this path.":
        if instance != request.path:
            return NotBacksolveError(
                f"There is a Backsolve service at {address}, but it was asked for {instance} instead of {request.path}. "
                "Correct the path of the address, or let the proxy remove it."
            )
        return IncompatibleServiceError(
            f"The service at {address} does not know the operation {request.operation}: it is older than this client ({VERSION}). "
            "Upgrade the service."
        )
    kind = str(problem["type"])[len(TYPE_PREFIX) :]
    errors = problem.get("errors")
    sent = [_read_violation(each) for each in (errors if isinstance(errors, list) else ()) if isinstance(each, dict)]
    violations = tuple(sent)
    if sent and not request.is_plain:
        violations = tuple(replace(each, property=property_in_python(each), message=message_in_python(each)) for each in sent)
        first = f"{sent[0].property or 'the body'}: {sent[0].message}"
        detail = detail.replace(first, f"{violations[0].property or 'the body'}: {violations[0].message}")
    code = kind.upper().replace("-", "_")
    return PROBLEM_CLASSES.get(kind, ServiceError)(detail, code=code, violations=violations, instance=instance, **facts)


def _read_violation(each: Mapping[str, Any]) -> Violation:
    parts = each.get("parts")
    return Violation(
        str(each.get("property", "")),
        str(each.get("pointer", "")),
        str(each.get("message", "")),
        tuple(part for part in parts if isinstance(part, dict) and "text" in part) if isinstance(parts, list) else (),
    )


def _is_retryable(error: BacksolveError) -> bool:
    if not isinstance(error, ServiceError):
        return False
    if error.code == "IDEMPOTENCY_KEY_IN_USE" or error.status == 429:
        return True
    return error.status >= 500 and error.status not in NEVER_RETRIED


def _refuse_foreign(reply: Reply, request: Request, address: str) -> None:
    """Redirects are not followed: a POST would become a GET, and the key would go elsewhere."""
    if reply.status == 304:
        return
    medium = reply.headers.get("content-type")
    if reply.status >= 300 or (medium is not None and not medium.lower().startswith(request.medium)):
        raise _not_backsolve(reply, request, address)


def _not_backsolve(reply: Reply, request: Request, address: str) -> NotBacksolveError:
    advice = f"There is no Backsolve service at {address}, or its answer was replaced on the way. Check the address; it ends before /v1."
    if 300 <= reply.status < 400:
        advice = f"It redirects to {reply.headers.get('location', 'another address')}; give the client the final address."
    return NotBacksolveError(f"{address} answered {request.operation} with {_describe(reply)}. {advice}")


def _not_understood(request: Request, address: str, why: str) -> IncompatibleServiceError:
    return IncompatibleServiceError(
        f"The answer of {address} to {request.operation} is not one that this client ({VERSION}) understands: {why}. "
        "Service and client should have the same version."
    )


def _read_json(type_name: str, content: bytes, request: Request, address: str) -> Any:
    try:
        return adapter_of(type_name).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "its beginning"
        raise _not_understood(request, address, f"{first['msg']} at {where}") from error


def _read_problem(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not str(value.get("type")).startswith(TYPE_PREFIX):
        return None
    return value


def _describe(reply: Reply) -> str:
    medium = reply.headers.get("content-type", "").split(";")[0]
    return f"{reply.status} and {medium}" if medium else str(reply.status)


def _words_of(error: httpx.RequestError) -> str:
    return str(error).rstrip(".") or type(error).__name__


def cut_off(request: Request, address: str) -> UnreachableError:
    """The error for a connection that breaks while an answer is read."""
    return UnreachableError(f"The answer of {address} to {request.operation} was cut off.")
