"""Searches of one function name for calls that name no search, as those of least_squares: each set of data has one of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ._errors import BusyError
from ._journal import Folder
from ._looks import OWN, Looks, changes

MOST = 1000
"""Searches that are looked through."""


class Siblings:
    """Folders NAME, NAME-2, NAME-3 and so on."""

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name = name

    def nearest(self, looks: Looks) -> Folder:
        """
        That of the search whose black box looked the same or else most alike; another one where there is none, or another process works on
        it. Raises BusyError where that does the same.
        """
        by_distance = sorted((distance, -number) for number, distance in self._distances(looks))
        if not by_distance:
            return self.another()
        distance, number = by_distance[0]
        try:
            return Folder(self._root, self._numbered(-number))
        except BusyError:
            if distance == 0:
                raise
            return self.another()

    def another(self) -> Folder:
        """A folder in which nothing was begun."""
        number = 1
        while True:
            if not self._record(number).exists():
                try:
                    return Folder(self._root, self._numbered(number))
                except BusyError:
                    pass
            number += 1

    def _numbered(self, number: int) -> str:
        return self._name if number == 1 else f"{self._name}-{number}"

    def _record(self, number: int) -> Path:
        return self._root / "python" / self._numbered(number) / "problem.json"

    def _distances(self, looks: Looks) -> Iterator[tuple[int, int]]:
        """Number of each search, and of the parts in which its black box differed."""
        for number in range(1, MOST + 1):
            try:
                before: Looks = json.loads(self._record(number).read_text()).get("looks", {})
            except FileNotFoundError:
                return
            except (ValueError, AttributeError):
                continue
            yield number, len(changes(before, looks).get(OWN, ()))
