"""Engines that benchmarks of the Python client start on this machine, each as a context with its executor. Their packages are optional."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any


def version_of(engine: str) -> str | None:
    """None where it is not installed."""
    if engine == "concurrent.futures":
        return sys.version.split()[0]
    with contextlib.suppress(ImportError):
        return version(engine)
    return None


@contextlib.contextmanager
def dask(workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client.get_executor(pure=False)


@contextlib.contextmanager
def submitit(folder: Path, minutes: int, cluster: str = "local") -> Iterator[Any]:
    """`minutes` is the limit of a job."""
    from submitit import AutoExecutor

    executor = AutoExecutor(folder=folder, cluster=cluster)
    executor.update_parameters(timeout_min=minutes)
    yield executor
