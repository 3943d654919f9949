"""One play of one problem, seen from a solver: evaluations in the unit box that are counted, judged and ended.

The mathematics, the intervals and the verdict come from bench/problems/serve.ts; nothing of them is repeated here.
"""

import json
import subprocess
import time
from pathlib import Path

import numpy as np

SERVER = Path(__file__).resolve().parent.parent / "problems" / "serve.ts"


class Server:
    """The problems in a process of their own, one JSON object per line each way."""

    def __init__(self, node):
        self._process = subprocess.Popen(
            [node, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


class Over(Exception):
    """The play has ended; `end` of the game says how."""


class Game:
    """Counts evaluations and ends the play by raising Over. Points are in [0, 1]^n, one coordinate per input."""

    def __init__(self, server, name, seed, time_cap_seconds):
        self._server = server
        facts = server.ask(op="describe", problem=name)
        self.name, self.seed, self.budget, self.noisy = name, seed, facts["budget"], facts["noisy"]
        self.variables, self.types = facts["variables"], facts["types"]
        self.minimum = np.array([v["minimum"] for v in self.variables], float)
        self.maximum = np.array([v["maximum"] for v in self.variables], float)
        self.is_discrete = np.array([v["kind"] != "float" for v in self.variables])
        self.kinds = [v["kind"] for v in self.variables]
        self.lower = np.array([-np.inf if a is None else a for a, _ in facts["intervals"]])
        self.upper = np.array([np.inf if b is None else b for _, b in facts["intervals"]])
        self.l1 = facts["l1"]
        self.start = self.to_unit(np.array(facts["start"], float))
        self.random = np.random.default_rng(seed)
        self.count, self.end = 0, None
        self.inputs, self.outputs = [], []
        self._began, self._time_cap = time.process_time(), time_cap_seconds

    @property
    def n(self):
        return len(self.variables)

    @property
    def m(self):
        return len(self.lower)

    def to_unit(self, x):
        return (x - self.minimum) / (self.maximum - self.minimum)

    def to_input(self, u):
        """Natural units; discrete inputs are rounded to the nearest code."""
        x = self.minimum + np.clip(u, 0, 1) * (self.maximum - self.minimum)
        return np.where(self.is_discrete, np.round(x), x)

    def seconds(self):
        """Processor time of the solver, so that a busy machine changes neither times nor caps."""
        return time.process_time() - self._began

    def evaluate(self, u):
        """Outputs at a point of the unit box, None when the run failed. Raises Over after the last evaluation."""
        return self.evaluate_input(self.to_input(np.asarray(u, float)))

    def evaluate_input(self, x):
        self.check()
        answer = self._server.ask(
            op="evaluate", problem=self.name, x=[float(v) for v in x], seed=self.seed, index=self.count
        )
        self.count += 1
        output = None if answer["output"] is None else np.array(answer["output"], float)
        if output is not None and not np.all(np.isfinite(output)):
            output = None
        self.inputs.append(self.to_unit(np.asarray(x, float)))
        self.outputs.append(output)
        if answer["satisfied"]:
            self.stop("satisfied")
        return output

    def check(self):
        if self.count >= self.budget:
            self.stop("budget")
        if self.seconds() > self._time_cap:
            self.stop("time")

    def stop(self, end):
        self.end = end
        raise Over(end)
