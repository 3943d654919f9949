"""Takes in the body of an answer as it arrives, and refuses one that is too large for any answer of the service, compressed or not."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

import httpx

from ._errors import NotBacksolveError

LARGEST_ANSWER = 256 * 2**20
"""Some 13 million numbers. Larger results are read in pages or line by line."""
LARGEST_REFUSAL = 2**20
"""As much of a refusal is read; the service needs less."""
PIECE = 2**18
GZIP = zlib.MAX_WBITS | 16


class _Body:
    """Pieces of limited size, decompressed."""

    def __init__(self, headers: Mapping[str, str], origin: str) -> None:
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "gzip", ""):
            raise NotBacksolveError(f"{origin} is encoded as {encoding[:50]}, which was not requested: a server in between changed it.")
        self._inflate = zlib.decompressobj(GZIP) if encoding == "gzip" else None
        self._has_begun = False

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            yield raw
            return
        self._has_begun = True
        try:
            while raw and not self._inflate.eof:
                yield self._inflate.decompress(raw, PIECE)
                raw = self._inflate.unconsumed_tail
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error

    def end(self) -> None:
        if self._inflate is not None and self._has_begun and not self._inflate.eof:
            raise httpx.DecodingError("the compressed answer was cut off")


class Intake:
    """A whole answer. Raises NotBacksolveError when it is larger than `limit` bytes, unless it is to be `cut` there."""

    def __init__(self, headers: Mapping[str, str], origin: str, limit: int, *, cut: bool = False) -> None:
        self._body = _Body(headers, origin)
        self._origin = origin
        self._limit = limit
        self._cut = cut
        self._content = bytearray()
        self._raw = 0

    def take(self, raw: bytes) -> bool:
        """Whether more is wanted."""
        self._raw += len(raw)
        for piece in self._body.pieces(raw):
            self._content += piece
            if len(self._content) > self._limit:
                break
        if max(self._raw, len(self._content)) <= self._limit:
            return True
        if self._cut:
            return False
        raise too_large(self._origin, self._limit, "read it in pages or line by line")

    def end(self) -> bytes:
        if not self._cut:
            self._body.end()
        del self._content[self._limit :]
        return bytes(self._content)


class LineIntake:
    """An answer of lines without a limit for all of them. Raises NotBacksolveError when one is larger than `limit` bytes."""

    def __init__(self, headers: Mapping[str, str], origin: str, limit: int) -> None:
        self._body = _Body(headers, origin)
        self._origin = origin
        self._limit = limit
        self._rest = bytearray()
        self._raw = 0

    def take(self, raw: bytes) -> Iterator[bytes]:
        self._raw += len(raw)
        for piece in self._body.pieces(raw):
            *ended, rest = piece.split(b"\n")
            if ended:
                self._raw = len(raw)
                yield bytes(self._rest) + ended[0]
                yield from ended[1:]
                self._rest = bytearray(rest)
            else:
                self._rest += rest
            if len(self._rest) > self._limit:
                break
        if max(self._raw, len(self._rest)) > self._limit:
            raise too_large(f"A line of {self._origin[0].lower()}{self._origin[1:]}", self._limit, "is it a service of Backsolve?")

    def end(self) -> Iterator[bytes]:
        self._body.end()
        if self._rest:
            yield bytes(self._rest)


def too_large(origin: str, limit: int, advice: str) -> NotBacksolveError:
    return NotBacksolveError(f"{origin} has more than {limit:,} bytes: {advice}, or give a larger largest_answer.")
