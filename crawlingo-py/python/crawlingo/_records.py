"""What an extraction gives: a list that can be exported."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterable, List, Optional, Type, TypeVar, Union

from . import _crawlingo
from ._dataset import asdict
from .errors import CrawlingoError, IoError

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")
Path = Union[str, "os.PathLike[str]"]


def write(path: Path, text: str) -> None:
    """Writes a file, with the error that the package has for it."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise IoError(f"{os.fspath(path)}: {error.strerror or error}", target=os.fspath(path)) from error


class Records(List[T], Generic[T]):
    """The records of a page: a list, with what happened and ways out.

    >>> books = extract(html, Book)
    >>> books.to_csv("books.csv")

    Attributes:
        dataset: The class of the records.
        report: What happened, field by field: what the report of the engine says, as a dictionary.
        errors: Why records are missing, where errors are collected.
    """

    def __init__(
        self,
        records: Iterable[T] = (),
        dataset: Optional[Type[T]] = None,
        report: Optional[Dict[str, Any]] = None,
        errors: Optional[List[CrawlingoError]] = None,
    ) -> None:
        super().__init__(records)
        self.dataset = dataset
        self.report: Dict[str, Any] = report or {}
        self.errors: List[CrawlingoError] = errors or []

    def to_dict(self) -> List[Dict[str, Any]]:
        """The records as dictionaries, with the values as they are."""
        return [asdict(record) for record in self]

    def to_json(self, path: Optional[Path] = None, *, indent: bool = False) -> str:
        """The records as one JSON array, as the command writes them; written to a file where a path is given."""
        text = _crawlingo.to_json(list(self), False, indent)
        if path is not None:
            write(path, text + "\n")
        return text

    def to_jsonl(self, path: Optional[Path] = None) -> str:
        """The records as JSON lines; written to a file where a path is given."""
        text = _crawlingo.to_json(list(self), True, False)
        if path is not None:
            write(path, text)
        return text

    def to_csv(self, path: Optional[Path] = None) -> str:
        """The records as comma-separated values with a header; lists and nested records are JSON in their cells."""
        text = ""
        if self.dataset is not None:
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerows(
                _crawlingo.to_cells(getattr(self.dataset, "__crawlingo__"), list(self))
            )
            text = out.getvalue()
        if path is not None:
            write(path, text)
        return text

    def df(self) -> "pandas.DataFrame":
        """The records as a pandas `DataFrame`: a column for each field, also where there are no records.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas

        columns = list(getattr(self.dataset, "__crawlingo_specs__", ())) or None
        return pandas.DataFrame(self.to_dict(), columns=columns)
