"""Every block of the pages for people who come from elsewhere: both sides run against the real service, and print what is shown."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .origins import PAGES, MissingError, blocks_of, commands_in, run, without_numbers, write_files
from .service_process import Service

MOST_LINES = 12


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_works_as_written(page: Path, tmp_path: Path, service: Service) -> None:
    """Only Backsolve's own side is still played if something is not installed, as later blocks may need it."""
    write_files(page, tmp_path)
    environment = {"GMOO_API_URI": f"{service.url}/api/", "GMOO_API_KEY": service.key}
    skipped: list[str] = []
    printed = None
    for block in blocks_of(page):
        if block.is_commands and skipped and "_backsolve.py" not in block.text:
            printed = None
        elif block.is_commands:
            try:
                printed = "".join(run(words, tmp_path, environment) for words in commands_in(block))
            except MissingError as missing:
                skipped.append(f"{page.name}:{block.line}: {missing}")
                printed = None
        elif block.is_shown and printed is not None:
            said = without_numbers(printed)
            absent = [line for line in without_numbers(block.text) if line not in said]
            assert absent == [], f"{page.name}:{block.line}: not printed\n{printed}"
    if skipped:
        pytest.skip("; ".join(skipped))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_played(page: Path) -> None:
    blocks = blocks_of(page)
    unknown = [block for block in blocks if not (block.is_file or block.is_commands or block.is_shown or block.is_repetition)]
    assert [f"{page.name}:{block.line}" for block in unknown] == []
    # A problem file may name a program, and a control file of PEST does.
    naming = [block for block in blocks if block.is_commands or block.language == "yaml" or block.info.endswith(".pst")]
    played = " ".join(block.text for block in naming)
    scripts = {block.info for block in blocks if block.is_file and block.language == "python"}
    modules = {f"{name}.py" for block in blocks if block.is_file and block.language == "python" for name in _imports(block.text)}
    assert [name for name in scripts - modules if name not in played] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_is_short(page: Path) -> None:
    for block in blocks_of(page):
        if block.is_file and block.info.endswith("_backsolve.py"):
            assert len([line for line in block.text.splitlines() if line.strip()]) <= MOST_LINES, block.info


def _imports(text: str) -> set[str]:
    return {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.module}
