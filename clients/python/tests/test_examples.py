"""The examples solve their problems, in as few lines as they promise."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
MOST_LINES = 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_solves(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    said = capsys.readouterr().out
    assert "Satisfied" in said, said


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_is_short(path: Path) -> None:
    """Everything but the description, blank lines and the black box itself."""
    text = path.read_text()
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    inside = {line for node in functions for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines = [line for number, line in enumerate(text.splitlines(), 1) if line.strip() and number not in inside]
    assert len(lines) - 1 <= MOST_LINES
    assert len([line for line in text.splitlines() if line.strip()]) - 1 <= MOST_LINES
