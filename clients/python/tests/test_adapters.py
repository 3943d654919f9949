"""docs/guides/frameworks.md as printed, on the released frameworks, each killed in the middle of a run and started again."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from .origins import ROOT, blocks_of, commands_in, write_files

PAGE = ROOT / "docs" / "guides" / "frameworks.md"
COMMANDS = [words for block in blocks_of(PAGE) if block.language == "bash" for words in commands_in(block)]
MOST_SECONDS = 120
KILLED_IN = {"session": 4}
"""The call in which an example is killed; it needs one more at least."""
REPEATED = {"libensemble": 3, "openmdao": 2, "optimagic": 3}
"""
Calls beyond one for each input: the run that was cut short, by default. The driver of OpenMDAO ends with the best run, optimagic begins
each call with the start, and libEnsemble loses a batch with its manager.
"""
COUNTED = """

import os, signal, sys


def counted(function):
    def call(width, height):
        with open("calls", "a") as file:
            print(float(width), float(height), file=file)
        if str(sum(1 for _ in open("calls"))) == os.environ.get("KILLED"):
            os.killpg(0, signal.SIGKILL)
        return function(width, height)

    return call


deflect = counted(deflect)
"""


def framework_of(words: list[str]) -> str:
    return Path(words[-1]).stem.removeprefix("beam_")


def skip_without(framework: str) -> None:
    if framework != "session" and find_spec(framework) is None:
        pytest.skip(f"NOT CHECKED: {framework} is not installed. pip install --editable '.[test,{framework}]' brings it")


def start(words: list[str], folder: Path, killed: int | None) -> subprocess.CompletedProcess[str]:
    program = sys.executable if words[0] == "python" else shutil.which(words[0])
    assert program is not None
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python" / "src"), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [program, *words[1:]],
        cwd=folder,
        env={**environment, "KILLED": str(killed)},
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
        start_new_session=True,
    )


@pytest.mark.parametrize("words", COMMANDS, ids=framework_of)
def test_an_example_that_is_killed_goes_on_without_lost_or_doubled_runs(words: list[str], tmp_path: Path) -> None:
    write_files(PAGE, tmp_path)
    skip_without(framework_of(words))
    (tmp_path / "beam.py").write_text((tmp_path / "beam.py").read_text() + COUNTED)
    assert start(words, tmp_path, KILLED_IN.get(framework_of(words), 9)).returncode == -9
    ended = start(words, tmp_path, None)
    assert ended.returncode == 0, f"{shlex.join(words)}:\n{ended.stdout}\n{ended.stderr[-4000:]}"
    assert re.search(r"\b8\.[2-9]", ended.stdout), ended.stdout
    calls = Counter((tmp_path / "calls").read_text().splitlines())
    assert sum(calls.values()) - len(calls) <= REPEATED.get(framework_of(words), 1), calls.most_common(4)


def test_every_example_is_played() -> None:
    scripts = {block.info for block in blocks_of(PAGE) if block.is_file and block.info != "beam.py"}
    assert scripts == {words[-1] for words in COMMANDS}
