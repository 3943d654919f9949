"""
The crash cases that all clients share (test/clients/crash-cases.json), against solve: real processes, and a server in front of the
service that loses what it is told to.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from backsolve import Backsolve
from backsolve.client import pages

from .faults import LOST_ANSWER, RESET, Fate, FaultyServer
from .service_process import Service

TABLE = json.loads((Path(__file__).parents[3] / "test" / "clients" / "crash-cases.json").read_text())
FAULTS = {"lost-request": RESET, "lost-answer": LOST_ANSWER}

PROGRAM = """
import json, os, signal, sys, threading
from backsolve import solve, within
given = json.loads(sys.argv[1])
# Out of reach of the black box, of which another value would make another one.
os.environ["KILL_IN_CALL"] = str(given["kill_in_call"])
one_at_a_time = threading.Lock()
def black_box(a, b):
    with one_at_a_time:
        with open("calls", "a") as file: file.write(f"{a} {b}\\n")
        if str(open("calls").read().count("\\n")) == os.environ["KILL_IN_CALL"]: os.kill(os.getpid(), signal.SIGKILL)
    return {"u": a * b, "v": a + 3 * b}
goals = {name: within(*each) for name, each in given["goals"].items()}
result = solve(black_box, {"a": (0, 10), "b": (0, 10)}, goals, cases=6, progress=False, **given["options"])
print(json.dumps([result.status, len(result.history), result.model_id, result.project_id]))
"""


class Play:
    """One case, behind a server of its own: the problem belongs to its address."""

    def __init__(self, case: dict[str, Any], service: Service) -> None:
        self._case = case
        self._service = service
        self._faults: list[dict[str, Any]] = []
        self._seen: Counter[int] = Counter()
        self._process: subprocess.Popen[str] | None = None
        self.server = FaultyServer(service.url, [], decide=self._decide)

    def start(self, faults: list[dict[str, Any]], goals: str = "usual") -> list[Any] | None:
        """Starts the program with some faults. What it printed, or None when it was killed."""
        self._faults, self._seen = faults, Counter()
        options = {
            "url": self.server.url,
            "api_key": self._service.key,
            "name": self._case["name"],
            "parallel": self._case.get("parallel", 1),
        }
        call = next((each["when"]["call"] for each in faults if "call" in each["when"]), None)
        given = {"goals": TABLE["goals"][goals], "kill_in_call": call, "options": options}
        self._process = subprocess.Popen([sys.executable, "-c", PROGRAM, json.dumps(given)], stdout=subprocess.PIPE, text=True)
        printed, _ = self._process.communicate()
        return json.loads(printed) if printed else None

    def _decide(self, called: str) -> Fate | None:
        for number, fault in enumerate(self._faults):
            when = fault["when"]
            if "request" not in when or not re.search(TABLE["requests"][when["request"]], called):
                continue
            self._seen[number] += 1
            if self._seen[number] == when["number"]:
                return FAULTS[fault["fault"]], (lambda: None) if fault.get("survives") else self._kill
        return None

    def _kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_nothing_is_lost(case: dict[str, Any], service: Service, client: Backsolve) -> None:
    play = Play(case, service)
    together = case.get("together", False)
    with play.server:
        for fault in [] if together else case["starts"]:
            assert play.start([fault]) is None
            if fault.get("tearsJournal"):
                (journal,) = Path(".backsolve/python").glob("*/runs.jsonl")
                with journal.open("a") as file:
                    file.write('{"kin')
        ended = play.start(case["starts"] if together else [], case.get("then", "usual"))
    assert ended is not None
    status, runs, model_id, project_id = ended
    assert status == "satisfied"
    calls = Path("calls").read_text().split("\n")[:-1]
    # The search may end while other runs are in progress, which then do not count.
    assert 0 <= len(set(calls)) - runs < case.get("parallel", 1)
    assert len(calls) - len(set(calls)) <= case["repeated"]
    assert [each.id for each in pages(client.list_models, limit=200) if each.name.startswith(case["name"])] == [model_id]
    assert [each.id for each in client.list_projects(model_id).body] == [project_id]
    assert len(client.list_batches(project_id=project_id).body) == case.get("batches", 1)
