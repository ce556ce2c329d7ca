"""What healing tells, and where it remembers."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from . import _crawlingo


@dataclass(frozen=True)
class Heal:
    """A selector that no longer matches as it did, and what became of its field.

    Attributes:
        field: The field; `each` for the records themselves.
        outcome: `healed`, `suggested`, `abstained` or `drifted`.
        confidence: The probability that the element is the right one.
        element: The element that was bound, or would have been.
        selector: A selector that finds it, where one was found.
        dataset: The dataset.
        site: Scheme, host and port.
        url: The page.
        at: When, in seconds since 1970.
    """

    field: str
    outcome: str
    confidence: float
    element: str
    selector: Optional[str]
    dataset: str
    site: str
    url: Optional[str]
    at: float

    @property
    def when(self) -> datetime.datetime:
        """When, as a `datetime` in UTC."""
        return datetime.datetime.fromtimestamp(self.at, datetime.timezone.utc)


class HealStore(_crawlingo.HealStore):
    """Where fingerprints are kept: a folder, or `":memory:"`. Give it to sessions that share it.

    >>> store = HealStore(".crawlingo/heal")
    >>> session = Session(heal_store=store)
    """

    def history(self) -> List[Heal]:
        """What healed and what did not, the oldest first."""
        return super().history()

    def proposals(self) -> List[Dict[str, Any]]:
        """What was found in the place of what is no longer found, with an `id` to approve or reject it by."""
        return super().proposals()

    def approve(self, id: str) -> None:
        """Takes a proposal for good.

        Raises:
            ConfigError: There is no such proposal.
        """
        super().approve(id)

    def reject(self, id: str) -> None:
        """Rejects a proposal.

        Raises:
            ConfigError: There is no such proposal.
        """
        super().reject(id)
