"""Backsolve in frameworks. Each module needs its framework, which the extra of its name installs; they all work through a Session."""

from ._session import Asked, Session
from ._watched import BlackBox, Record

__all__ = ["Asked", "BlackBox", "Record", "Session"]
