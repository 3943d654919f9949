"""Goes through everything that a function reaches, and takes a digest of each part."""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import hashlib
import importlib.util
import inspect
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ._blackbox import fingerprint_of

BLOCK = 64 * 1024
"""A larger file than MOST_BYTES counts by its size, its time and so many bytes at 64 places."""
MOST_VALUES = 50_000
MOST_BYTES = 64 * 1024 * 1024
"""Size limit of arrays; of larger ones some values count."""
DEPTH = 2
"""Attributes of objects and entries of dictionaries are parts of their own down to here."""
MOST_PARTS = 500
CALLED = (type, types.FunctionType, types.MethodType, functools.partial)
SCALARS = (str, bytes, int, float, complex, bool, type(None), type(...), range)
LIBRARIES = tuple(
    str(Path(path).resolve()) for key, path in sysconfig.get_paths().items() if key in ("stdlib", "platstdlib", "purelib", "platlib")
)
PLAIN_MODULES = ("builtins", "collections", "datetime", "decimal", "enum", "fractions", "functools", "pathlib", "random", "types", "uuid")
"""Modules of the standard library whose objects are data. Others are files, locks, loggers and the like."""


class StandIn:
    """Stands in for another library's function and calls one of the user. Its users expect an answer of their own for other data."""

    def reached(self) -> Mapping[str, Any]:
        """The functions and data of the user, by their names; the function itself without one."""
        raise NotImplementedError


def look_of_file(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=8)
    with path.open("rb") as file:
        facts = path.stat()
        if facts.st_size <= MOST_BYTES:
            while block := file.read(BLOCK):
                digest.update(block)
            return digest.hexdigest()
        digest.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())
        for number in range(64):
            file.seek((facts.st_size - BLOCK) * number // 63)
            digest.update(file.read(BLOCK))
    return digest.hexdigest()


class Walk:
    """Goes once through everything that a function reaches."""

    def __init__(self) -> None:
        self.found: dict[str, str | None] = {}
        self._seen: set[int] = set()
        self._kept: list[object] = []
        """So that no address is used again."""
        self._values = 0
        self._bytes = 0

    def look(self, f: Callable[..., Any]) -> dict[str, str | None]:
        self._callable("", f)
        return self.found

    def value(self, name: str, value: Any) -> None:
        self._value(name, value, 0)

    def _part(self, name: str, digest: str) -> None:
        if len(self.found) < MOST_PARTS:
            # Two of one name, such as helpers of two modules, count together.
            self.found[name] = digest if name not in self.found else _hash(f"{self.found[name]} {digest}")

    def _is_new(self, value: object) -> bool:
        if id(value) in self._seen:
            return False
        self._seen.add(id(value))
        self._kept.append(value)
        return True

    def _callable(self, name: str, f: Any) -> None:
        """A function, a method, a partial function or an object that is called."""
        if isinstance(f, type):
            self._class(name or "code", f)
            return
        if not self._is_new(f):
            return
        if (own := fingerprint_of(f)) is not None:
            self._part(name or "the file of the black box", own)
        elif isinstance(f, StandIn):
            for part, value in f.reached().items():
                self._value(part, value, 0)
        elif isinstance(f, functools.partial):
            self._callable(name, f.func)
            for number, value in enumerate(f.args, 1):
                self._value(f"argument {number}", value, 0)
            for part, value in f.keywords.items():
                self._value(part, value, 0)
        elif isinstance(f, types.MethodType):
            self._callable(name, f.__func__)
            self._value("self", f.__self__, 0)
        elif isinstance(f, types.FunctionType):
            self._function(name, f)
        elif hasattr(f, "__wrapped__"):
            self._callable(name, f.__wrapped__)
        elif inspect.isroutine(f):
            self._part(name or "code", _hash(_name_of(f)))
        else:
            self._object(name or "self", f, 0)

    def _function(self, name: str, f: types.FunctionType) -> None:
        is_own = _is_own(f.__globals__.get("__name__"), f.__code__.co_filename)
        if is_own:
            self._part(name or "code", _hash(repr(_shape_of(f.__code__))))
        elif not f.__closure__:
            self._part(name or "code", _hash(_name_of(f)))
        if hasattr(f, "__wrapped__"):
            self._callable(name, f.__wrapped__)
        taken = inspect.getfullargspec(f).args if f.__defaults__ else []
        defaults = zip(taken[-len(f.__defaults__ or ()) :], f.__defaults__ or (), strict=False)
        for part, value in [*defaults, *(f.__kwdefaults__ or {}).items()]:
            self._value(part, value, 0)
        for part, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=False):
            with contextlib.suppress(ValueError):  # not yet bound
                # A wrapper of a user's function has no name for it.
                self._value("" if callable(cell.cell_contents) and not is_own else part, cell.cell_contents, 0)
        if not is_own:
            return
        for part, value in _globals_of(f):
            self._value(part, value, 0)
        for module in _imports_in(f.__code__):
            if (path := _file_of(module, f.__globals__.get("__package__"))) is not None:
                self._part(module, look_of_file(path))

    def _class(self, name: str, kind: type) -> None:
        if not self._is_new(kind):
            return
        for each in kind.__mro__:
            if not _is_own(each.__module__):
                continue
            for key, value in vars(each).items():
                inner = getattr(value, "__func__", getattr(value, "fget", getattr(value, "func", value)))
                if isinstance(inner, types.FunctionType):
                    self._callable(f"{each.__name__}.{key}", inner)
                elif not key.startswith("__") and not callable(value) and not hasattr(value, "__get__"):
                    self._value(f"{each.__name__}.{key}", value, 1)
        self._part(name, _hash(_name_of(kind)))

    def _value(self, name: str, value: Any, depth: int) -> None:
        """Data, or something that is called."""
        if isinstance(value, (*SCALARS, list, tuple, set, frozenset)) or _array_of(value) is not None:
            self._part(name, self._digest(value, 0))
            if isinstance(value, (list, tuple)):
                for each in value[:64]:
                    if callable(each):
                        self._callable(name, each)
        elif isinstance(value, types.ModuleType):
            return
        elif isinstance(value, CALLED) or inspect.isroutine(value) or (callable(value) and not name):
            self._callable(name, value)
        elif not self._is_new(value):
            return
        elif depth >= DEPTH:
            self._part(name, self._digest(value, 0))
        elif isinstance(value, dict):
            for key, each in _copy(value):
                self._value(f"{name}[{key!r}]"[:80], each, depth + 1)
            self._part(name, _hash(sorted(repr(key) for key, _ in _copy(value))))
        else:
            self._object(name, value, depth)

    def _object(self, name: str, value: Any, depth: int) -> None:
        self._part(name, _hash(_name_of(type(value))))
        if _is_own(type(value).__module__):
            self._class(type(value).__name__, type(value))
        if (own := fingerprint_of(value)) is not None:
            self._part(name, own)
            return
        for key, each in _attributes_of(value):
            self._value(f"{name}.{key}", each, depth + 1)
        if hasattr(value, "__wrapped__"):
            self._callable(name, value.__wrapped__)

    def _digest(self, value: Any, depth: int) -> str:
        self._values += 1
        if self._values > MOST_VALUES or depth > 20:
            return "more"
        if isinstance(value, SCALARS):
            return _hash(repr(value) if not isinstance(value, (str, bytes)) or len(value) < MOST_BYTES else repr(value[:MOST_BYTES]))
        array = _array_of(value)
        if array is not None:
            return self._digest_array(array, depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            some = list(value) if len(value) <= MOST_VALUES else [len(value), *list(value)[:: 1 + len(value) // MOST_VALUES]]
            digests = [self._digest(each, depth + 1) for each in some]
            return _hash([type(value).__name__, *(digests if isinstance(value, (list, tuple)) else sorted(digests))])
        if isinstance(value, types.ModuleType):
            return _hash(value.__name__)
        if callable(value) and (isinstance(value, type) or inspect.isroutine(value)):
            return _hash(_name_of(value))
        if not self._is_new(value):
            return "again"
        pairs = _copy(value) if isinstance(value, dict) else _attributes_of(value)
        return _hash([_name_of(type(value)), *sorted(f"{key!r} {self._digest(each, depth + 1)}" for key, each in pairs)])

    def _digest_array(self, array: Any, depth: int) -> str:
        """Digest of numbers by their bytes, of objects one by one."""
        facts = f"{array.dtype} {array.shape}"
        flat = array.reshape(-1)
        left = max(0, MOST_BYTES - self._bytes)
        if array.dtype == object:
            return _hash([facts, self._digest(flat[: min(flat.size, MOST_VALUES)].tolist(), depth + 1)])
        step = 1 + flat.nbytes // left if 0 < left < flat.nbytes else max(1, flat.size // 1024) if left == 0 else 1
        some = flat[::step]
        self._bytes += some.nbytes
        return _hash([facts, hashlib.blake2b(some.tobytes(), digest_size=8).hexdigest()])


def _hash(what: object) -> str:
    return hashlib.blake2b((what if isinstance(what, str) else repr(what)).encode(errors="replace"), digest_size=8).hexdigest()


def _name_of(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"


def _shape_of(code: types.CodeType) -> tuple[Any, ...]:
    """Whatever a name or a line of it is."""
    return code.co_code, code.co_names, [_constant(each) for each in code.co_consts]


def _constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):
        return _shape_of(value)
    # The order of a set differs between processes.
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def _globals_of(f: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global variables that a function reads, and what it takes from modules of the user."""
    for name, attributes in _names_in(f.__code__).items():
        if name not in f.__globals__:
            continue
        value = f.__globals__[name]
        if isinstance(value, types.ModuleType):
            yield from _members_of(value, attributes)
        elif not hasattr(builtins, name) or getattr(builtins, name) is not value:
            yield name, value


def _members_of(module: types.ModuleType, attributes: Iterable[str]) -> Iterator[tuple[str, Any]]:
    names = list(attributes)
    if not _is_own(module.__name__, getattr(module, "__file__", None)):
        return
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            yield from _members_of(value, [each for each in names if each != name])
        elif value is not None:
            yield f"{module.__name__}.{name}", value


def _names_in(code: types.CodeType) -> dict[str, list[str]]:
    """Global names with the attributes that are read in the same function, also of functions within it."""
    found: dict[str, list[str]] = {}
    attributes = [str(each.argval) for each in dis.get_instructions(code) if "ATTR" in each.opname or "METHOD" in each.opname]
    imported = [str(each.argval) for each in dis.get_instructions(code) if each.opname == "IMPORT_FROM"]
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.setdefault(str(each.argval), []).extend(dict.fromkeys([*attributes, *imported]))
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            for name, those in _names_in(inner).items():
                found.setdefault(name, []).extend(those)
    return found


def _imports_in(code: types.CodeType) -> set[str]:
    """The modules that a function imports when it is called."""
    found = {str(each.argval) for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"}
    return found.union(*(_imports_in(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _file_of(module: str, package: str | None) -> Path | None:
    """File of a module of the user, which need not be imported yet."""
    if not module or module.split(".", maxsplit=1)[0] in sys.stdlib_module_names:
        return None
    try:
        spec = importlib.util.find_spec(module) or importlib.util.find_spec(f".{module}", package)
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None or spec.origin is None or not spec.has_location or not _is_own(module, spec.origin):
        return None
    return Path(spec.origin)


@functools.lru_cache(maxsize=4096)
def _is_own(module: str | None, file: str | None = None) -> bool:
    """Whether a module is one of the user, and no package that is installed."""
    top = (module or "").split(".", maxsplit=1)[0]
    if top in ("__main__", "__mp_main__"):
        return True
    if top in ("backsolve", "builtins") or top in sys.stdlib_module_names:
        return False
    path = file or getattr(sys.modules.get(module or ""), "__file__", None)
    # Without a file it was typed, or made by a program of the user.
    return path is None or not str(Path(path).resolve()).startswith(LIBRARIES)


def _array_of(value: Any) -> Any:
    """As an array of numpy; None where it is none. A table of pandas is one of objects."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(value)
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(value, (pandas.DataFrame, pandas.Series, pandas.Index)):
        return None
    made = numpy.empty(2, dtype=object)
    if isinstance(value, pandas.DataFrame):
        columns = [column.to_numpy() for _, column in value.items()]
        made[:] = [[str(each) for each in value.columns], [value.index.to_numpy(), *columns]]
    else:
        made[:] = [str(value.name), [value.index.to_numpy(), value.to_numpy()] if isinstance(value, pandas.Series) else [value.to_numpy()]]
    return made


def _copy(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Another thread may change it meanwhile."""
    try:
        return list(value.items())
    except RuntimeError:
        return []


def _attributes_of(value: Any) -> list[tuple[str, Any]]:
    """Attributes of an object that is data. Other objects of the standard library, such as a file or a lock, have no part."""
    module = type(value).__module__
    if module in PLAIN_MODULES:
        return [("value", state)] if (state := _state_of(value)) is not None else []
    if module.split(".", maxsplit=1)[0] in sys.stdlib_module_names - {"__main__"} or module.startswith("backsolve"):
        return []
    if module.startswith("numpy.random"):
        return [("state", repr(getattr(getattr(value, "bit_generator", None), "state", None)))]
    slots = [name for each in type(value).__mro__ for name in _names(getattr(each, "__slots__", ())) if not name.startswith("__")]
    found = {**{name: getattr(value, name, None) for name in slots}, **dict(_copy(getattr(value, "__dict__", {})))}
    return list(found.items())


def _names(slots: str | Iterable[str]) -> list[str]:
    return [slots] if isinstance(slots, str) else list(slots)


def _state_of(value: Any) -> object:
    if type(value).__module__ == "random":
        return repr(value.getstate())
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, types.SimpleNamespace):
        return sorted(vars(value).items())
    if isinstance(value, Iterable):
        return list(value) if hasattr(value, "__len__") else None
    return repr(value) if not repr(value).startswith("<") else None
