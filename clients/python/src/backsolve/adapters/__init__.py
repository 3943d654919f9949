"""Backsolve in frameworks. Each module needs its framework, which the extra of its name installs; they all work through a Session."""

from ._session import Asked, Record, Session

__all__ = ["Asked", "Record", "Session"]
