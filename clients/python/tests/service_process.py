"""A real service, started from this repository on an embedded PostgreSQL in a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

COMMAND = Path(__file__).parents[3] / "bin" / "backsolve.js"


class Service(NamedTuple):
    url: str
    key: str


@contextmanager
def running_service(folder: Path) -> Iterator[Service]:
    """Address and key of a service that ends with the block."""
    node = shutil.which("node")
    assert node is not None, "Node.js is needed to start the service"
    settings = {"DATA_DIR": str(folder / "data"), "PORT": "0", "RATE_LIMIT_PER_MINUTE": "0", "ENGINE_THREADS": "1"}
    with (folder / "errors").open("w") as errors:
        process = subprocess.Popen(
            [node, str(COMMAND), "start"],
            cwd=folder,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            url = key = None
            for line in process.stdout:
                url = url or re.search(r"ready at (\S+)", line)
                key = re.search(r"(bks_\w{20,})", line)
                if key:
                    break
            assert url, (folder / "errors").read_text()
            assert key
            # Its log has no other reader, and a full pipe would stop it.
            reading = threading.Thread(target=process.stdout.read, daemon=True)
            reading.start()
            yield Service(url[1], key[1])
            process.terminate()
            reading.join()
        finally:
            process.terminate()
            process.wait(60)
            process.stdout.close()
