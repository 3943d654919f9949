"""Our optimizer as one more solver: ours.ts in a process of its own, through lines of JSON."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Ours:
    def __init__(self):
        self._process = subprocess.Popen(
            ["npx", "node", "bench/public/ours.ts"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.version = self._ask(
            op="start", inputs=[{"kind": "float", "minimum": 0, "maximum": 1}], outputs=1, shape="number", start=None, seed=1
        )["version"]
        self.seconds = 0.0

    def _ask(self, **request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if line == "":
            raise RuntimeError("bench/public/ours.ts has ended; its message is above.")
        return json.loads(line)

    def play(self, game):
        """Until Over, or until the search finds nothing new: the runs that are left are then not made. Returns the reason."""
        problem = game.problem
        kinds = problem.kinds or ("float",) * problem.n
        inputs = [
            {"kind": kind, "minimum": float(low), "maximum": float(high)}
            for kind, low, high in zip(kinds, problem.lower, problem.upper, strict=True)
        ]
        shape = {"objectives": problem.objectives} if problem.shape == "front" else problem.shape
        start = [float(value) for value in problem.input_of(problem.start)]
        self._ask(op="start", inputs=inputs, outputs=problem.outputs, shape=shape, start=start, seed=game.seed)
        while True:
            answer = self._ask(op="ask")
            self.seconds = answer["seconds"]
            if "end" in answer:
                return answer["end"]
            outputs = game.run(answer["input"])
            self._ask(op="tell", output=None if outputs is None else [float(value) for value in outputs])
