"""docs/guides/your-cluster.md as printed, on the real engines, each with a worker killed in the seventh call of the black box."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .origins import ROOT, MissingError, blocks_of, check_imports, commands_in, write_files
from .service_process import Service

PAGE = ROOT / "docs" / "guides" / "your-cluster.md"
COMMANDS = [words for block in blocks_of(PAGE) if block.language == "bash" for words in commands_in(block)]
AT_ONCE = "parallel=4"
MOST_SECONDS = 120
# An MPI of PyPI refuses to run as root, as in a container; Ray reports to its makers.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "RAY_USAGE_STATS_ENABLED": "0",
}
KILLER = """

import functools, os, signal


def counted(function):
    @functools.wraps(function)
    def call(**inputs):
        number = 1
        while True:
            try:
                os.close(os.open(f"{FOLDER}/{number}", os.O_CREAT | os.O_EXCL))
                break
            except FileExistsError:
                number += 1
        if number == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(**inputs)

    return call


deflect = counted(deflect)
"""


def engine_of(words: list[str]) -> str:
    return Path(words[-1]).stem.removeprefix("on_")


def prepare(folder: Path, parallel: int, killed: int | None) -> Path:
    """Writes the files of the guide into a folder. Returns where the calls of the black box are counted."""
    calls = folder / "calls"
    calls.mkdir(parents=True)
    write_files(PAGE, folder)
    beam = folder / "beam.py"
    assert AT_ONCE in beam.read_text()
    marks = f"\nFOLDER = {str(calls)!r}\nKILLED = {killed}\n"
    beam.write_text(beam.read_text().replace(AT_ONCE, f"parallel={parallel}, cases=6") + marks + KILLER)
    return calls


def start(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = shutil.which(words[0], path=path)
    if program is None:
        raise MissingError(f"{words[0]} is not installed")
    environment = {**os.environ, **ENVIRONMENT, "PATH": path}
    return subprocess.run(
        [program, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
    )


def play(words: list[str], folder: Path) -> str:
    """Output of a command. MPI ends all its processes with the one that is killed, and the guide says to start them again."""
    ended = start(words, folder)
    if ended.returncode != 0 and words[0] == "mpiexec":
        ended = start(words, folder)
    assert ended.returncode == 0, f"{shlex.join(words)} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr[-4000:]}"
    return ended.stdout


def finished_in(folder: Path) -> list[dict[str, Any]]:
    (journal,) = (folder / ".backsolve" / "python").glob("*/runs.jsonl")
    return [line for line in map(json.loads, journal.read_text().splitlines()) if line["kind"] == "finished"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, service: Service) -> list[Any]:
    """The outputs of a search, in the order of its runs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    prepare(folder, 1, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKSOLVE_URL", service.url)
        patch.setenv("BACKSOLVE_API_KEY", service.key)
        ended = start(["python", "-c", "import beam; beam.find(None)"], folder)
    assert "Satisfied" in ended.stdout, ended.stderr
    return [line["output"] for line in finished_in(folder)]


@pytest.fixture(params=COMMANDS, ids=engine_of)
def words(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    command: list[str] = request.param
    (tmp_path / "check").mkdir()
    write_files(PAGE, tmp_path / "check")
    try:
        check_imports(tmp_path / "check" / command[-1])
    except MissingError as missing:
        pytest.skip(f"{missing}: pip install --editable '.[test,engines]' brings the engines")
    return command


def test_a_killed_worker_costs_one_call_and_changes_no_result(words: list[str], tmp_path: Path, undisturbed: list[Any]) -> None:
    calls = prepare(tmp_path / "killed", 1, 7)
    assert "Satisfied" in play(words, tmp_path / "killed")
    runs = finished_in(tmp_path / "killed")
    assert [line["failure"] for line in runs if line["failure"]] == []
    assert [line["output"] for line in runs] == undisturbed
    assert len(list(calls.iterdir())) == len(runs) + 1


def test_a_worker_killed_beside_others_fails_no_run(words: list[str], tmp_path: Path) -> None:
    calls = prepare(tmp_path / "killed", 4, 7)
    assert "Satisfied" in play(words, tmp_path / "killed")
    assert [line["failure"] for line in finished_in(tmp_path / "killed") if line["failure"]] == []
    assert (calls / "7").exists()
