"""Builds the request of an operation: address, headers and body."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel

from ._generated.operations import VERSION
from ._operation import JSON_MEDIUM, XLSX_MEDIUM, Operation
from ._refusals import in_python, pointer_of_infinite

VERSION_PATH = "/v1/openapi.json"


@dataclass(frozen=True)
class Request:
    operation: str
    method: str
    path: str
    """As the service must see it, from /v1, without the query."""
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    medium: str
    """The type of the answer."""
    wait: float
    """Seconds that the service may wait before it answers."""
    is_plain: bool = False
    """Whether the body was given as JSON has it, so that its fields have the names of the interface."""


def build_request(
    operation: Operation,
    *,
    address: str,
    api_key: str,
    path: Mapping[str, int | str] | None,
    query: Mapping[str, Any] | None,
    header: Mapping[str, str | None] | None,
    body: Any,
    medium: str,
) -> Request:
    filled = operation.path
    for name, value in (path or {}).items():
        filled = filled.replace(f"{{{name}}}", quote(str(value), safe=""))
    headers = {"accept": medium, "accept-encoding": "gzip", **common_headers(api_key)}
    given = {name.lower(): value for name, value in (header or {}).items() if value is not None}
    if operation.method == "POST":
        # The same in all attempts, so that nothing happens twice.
        given["idempotency-key"] = _quote_key(given.get("idempotency-key") or secrets.token_hex(16))
    headers.update(given)
    content = None
    if body is not None:
        headers["content-type"], content = _write_body(body)
    asked = urlencode([(name, _write_value(value)) for name, value in (query or {}).items() if value is not None])
    return Request(
        operation=operation.id,
        method=operation.method,
        path=f"/v1{filled}",
        url=f"{address}/v1{filled}{'?' if asked else ''}{asked}",
        headers=headers,
        content=content,
        medium=medium,
        wait=_wait_of(given.get("prefer"), body),
        is_plain=body is not None and not isinstance(body, BaseModel),
    )


def version_request(address: str) -> Request:
    return Request(
        operation="the version of the interface",
        method="GET",
        path=VERSION_PATH,
        url=f"{address}{VERSION_PATH}",
        headers={"accept": JSON_MEDIUM, "accept-encoding": "identity"},
        content=None,
        medium=JSON_MEDIUM,
        wait=0,
    )


def common_headers(api_key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}", "user-agent": f"backsolve-python/{VERSION}"}


def read_address(url: str) -> str:
    """The base address without slashes at its end and without /v1, which every path begins with."""
    advice = "give the address of the service, such as https://backsolve.example"
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"The url must begin with http:// or https:// and name a host; {advice}.")
    if parts.username or parts.password:
        raise ValueError("The url must not hold a user or password; give the key as api_key.")
    if parts.query or parts.fragment:
        raise ValueError(f"The url must end with its path; {advice}.")
    return re.sub(r"/v1$", "", f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/"))


def read_key(api_key: str) -> str:
    """The message never holds the key."""
    if not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise ValueError("The api_key must be an API key, without spaces or line breaks.")
    return api_key


def _write_body(body: Any) -> tuple[str, bytes]:
    """Its medium and bytes: a text is CSV, bytes are a workbook, and everything else is JSON."""
    if isinstance(body, str):
        return "text/csv", body.encode()
    if isinstance(body, bytes):
        return XLSX_MEDIUM, body
    return JSON_MEDIUM, _write_json(body)


def _write_json(body: Any) -> bytes:
    plain = body.model_dump(mode="json", by_alias=True, exclude_unset=True) if isinstance(body, BaseModel) else body
    try:
        return json.dumps(plain, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
    except ValueError as error:
        where = pointer_of_infinite(plain) or ""
        name = ".".join(in_python(part) for part in where.split("/")[1:]) or "the body"
        advice = "; report a run without an output as failed" if "/output" in where.lower() else ""
        raise ValueError(f"{name} must be a finite number: JSON has no NaN and no infinity{advice}.") from error


def _write_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _wait_of(prefer: str | None, body: Any) -> float:
    found = re.search(r"(?:^|[,\s])wait=(\d{1,9})", prefer or "")
    asked = float(found[1]) if found else getattr(body, "wait", None)
    return float(asked or 0)


def _quote_key(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
