"""
The pages for people who come from elsewhere, as a reader plays them. The fences of their blocks say what they are: a file to write
(```python coating.py), commands to run (```bash), and what these print, numbers aside (```text shows).

    python -m tests.origins coming-from-optuna coating_optuna.py 10

runs files of a page so many times and counts the runs of the last one. Backsolve's side needs the service in BACKSOLVE_URL and
BACKSOLVE_API_KEY.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
GUIDES = ROOT / "docs" / "guides"
PAGES = [*sorted(GUIDES.glob("coming-from-*.md")), GUIDES / "fmu.md"]
SECONDS = 600


class Block(NamedTuple):
    line: int
    language: str
    info: str
    text: str

    @property
    def is_file(self) -> bool:
        return re.fullmatch(r"[\w.-]+\.[a-z]+", self.info) is not None

    @property
    def is_commands(self) -> bool:
        return self.language == "bash" and self.info == ""

    @property
    def is_shown(self) -> bool:
        return self.language == "text" and self.info == "shows"

    @property
    def is_repetition(self) -> bool:
        """Commands of this module, which repeat the figures of a page."""
        return self.language == "bash" and self.info == "in clients/python"


class MissingError(Exception):
    """A command needs what is not installed."""


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text()
    found = re.finditer(r"^```(\S*)(.*)\n([\s\S]*?)^```$", text, re.MULTILINE)
    return [Block(text.count("\n", 0, match.start()) + 2, match[1], match[2].strip(), match[3]) for match in found]


def write_files(page: Path, folder: Path) -> None:
    for block in blocks_of(page):
        if block.is_file:
            (folder / block.info).write_text(block.text)


def commands_in(block: Block) -> Iterator[list[str]]:
    """Without those that install, which are the reader's."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words and words[:2] != ["pip", "install"]:
            yield words


def run(words: list[str], folder: Path, extra: Mapping[str, str]) -> str:
    """Output of a command. Raises MissingError if it needs a module or a program that is not here."""
    program, *arguments = words
    if program == "python":
        check_imports(folder / arguments[0])
        words = [sys.executable, *arguments]
    elif words[:2] == ["npx", "backsolve"]:
        words = ["node", str(ROOT / "bin" / "backsolve.js"), *words[2:]]
    found = shutil.which(words[0])
    if found is None:
        raise MissingError(f"{words[0]} is not installed")
    # A problem file calls `python`: the one with the client and the peers.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    source = str(ROOT / "clients" / "python" / "src")
    environment = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": source,
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
        "BACKSOLVE_PYTHON": sys.executable,
        **extra,
    }
    ended = subprocess.run([found, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    if ended.returncode != 0:
        raise AssertionError(f"{shlex.join(words)} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr[-4000:]}")
    return ended.stdout


def check_imports(script: Path) -> None:
    own = {file.stem for file in script.parent.glob("*.py")}
    for node in ast.walk(ast.parse(script.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module]
        for top in (name.split(".")[0] for name in names):
            if top not in own and find_spec(top) is None:
                raise MissingError(f"{top} is not installed")


def without_numbers(text: str) -> list[str]:
    """The lines with single spaces and a mark for every number, one or many: better suggestions change them."""
    marked = re.sub(r"[-+]?\d+(\.\d+)?(e[+-]?\d+)?", "#", text).replace("# runs", "# run")
    return [" ".join(line.split()) for line in marked.splitlines()]


def main() -> None:
    name, *words = sys.argv[1:]
    scripts = [word for word in words if not word.isdigit()]
    times = next((int(word) for word in words if word.isdigit()), 1)
    counts = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            write_files(ROOT / "docs" / "guides" / f"{name}.md", Path(folder))
            printed = [run(["python", script], Path(folder), {}) for script in scripts][-1]
        print(printed.strip().splitlines()[0], flush=True)
        found = re.search(r"(\d+) runs", printed)
        assert found is not None, "it prints no count of runs"
        counts.append(int(found[1]))
    print(f"{scripts[-1]}: {min(counts)} to {max(counts)} runs, median {statistics.median(counts):g}")


if __name__ == "__main__":
    main()
