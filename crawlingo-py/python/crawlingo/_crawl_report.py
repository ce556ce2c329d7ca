"""What a crawl did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List


@dataclass(frozen=True)
class CrawlReport:
    """What a crawl did, over all its runs.

    Attributes:
        run_id: The crawl's name for itself.
        ended: `done`, `bound`, `stopped` or `running`.
        records: Records that the pages gave.
        invalid: Records that missed a required field.
        dropped: Records of this run that the spider's own code dropped or refused.
        pages: Pages that were fetched, by status.
        bytes: The bytes of their bodies.
        datasets: The records of each dataset.
        coverage: For each dataset and field, how many records have a value.
        healed: For each dataset and field, on how many pages it healed.
        skipped: Links and pages that were left out, by reason.
        retries: How often a page was tried again.
        failures: How many pages failed for good.
        failed: They, and why; the first thousand.
        pending: Pages that are still to be fetched.
        seconds: How many seconds it took.
    """

    run_id: str
    ended: str
    records: int
    invalid: int
    pages: Dict[int, int]
    bytes: int
    datasets: Dict[str, int]
    coverage: Dict[str, Dict[str, int]]
    healed: Dict[str, Dict[str, int]]
    skipped: Dict[str, int]
    retries: int
    failures: int
    failed: List[Dict[str, str]]
    pending: int
    seconds: float
    dropped: int = 0

    @property
    def fetched(self) -> int:
        """How many pages were fetched."""
        return sum(self.pages.values())


def report_of(said: Dict[str, Any], dropped: int) -> CrawlReport:
    names = [name for name in CrawlReport.__dataclass_fields__ if name != "dropped"]
    known = {name: said[name] for name in names}
    known["pages"] = {int(status): count for status, count in known["pages"].items()}
    return CrawlReport(**known, dropped=dropped)
