"""The programs of the pages do what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
CLIENTS = Path(__file__).parents[3] / "docs" / "clients.md"


def programs_of(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def test_readme(capsys: pytest.CaptureFixture[str]) -> None:
    first, result, project = programs_of(README, "python")
    names: dict[str, object] = {"__name__": "readme"}
    exec(first, names)
    assert "reactor: Satisfied" in capsys.readouterr().out
    names.update(f=lambda a: 2 * a, inputs={"a": (0, 10)}, goals={"y": names["within"](3, 0.1)})  # type: ignore[operator]
    exec(result, names)
    assert names["result"].status == "satisfied"  # type: ignore[attr-defined]
    exec(project, names)
    assert "From Python: Satisfied" in capsys.readouterr().out


def test_the_page_of_clients(capsys: pytest.CaptureFixture[str]) -> None:
    program, *_others = programs_of(CLIENTS, "python")
    exec(program, {"__name__": "clients"})
    assert "reactor: Satisfied" in capsys.readouterr().out
