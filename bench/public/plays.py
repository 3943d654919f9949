"""The record of finished plays: one JSON object per line, one file per ground and solver, append-only. The last line of a play counts."""

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
OURS = "backsolve"


def key_of(play):
    return play["problem"], play["seed"]


def read_plays(ground, solver=None):
    """Plays by solver, then by problem and seed."""
    found = {}
    for file in sorted((RESULTS / ground).glob("*.jsonl")):
        if solver is None or file.stem == solver:
            plays = [json.loads(line) for line in file.read_text().splitlines() if line]
            found[file.stem] = {key_of(play): play for play in plays}
    return found


def append_play(ground, solver, play):
    folder = RESULTS / ground
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{solver}.jsonl").open("a") as file:
        file.write(json.dumps(play, separators=(",", ":")) + "\n")
