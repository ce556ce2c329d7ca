"""What the tests share: the demo shop, the command, the shared material."""

from __future__ import annotations

import os
import pathlib
import subprocess
import time
from typing import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("CRAWLINGO_BIN", ROOT / "target" / "debug"))


class Shop:
    """A running demo shop."""

    def __init__(self, folder: pathlib.Path, port: int = 0, redesigned: bool = False) -> None:
        said = folder / f"url-{time.monotonic_ns()}"
        command = [str(BIN / "demo-shop"), "--port", str(port), "--url-file", str(said)]
        self.process = subprocess.Popen(command + ["--redesigned"] * redesigned, stdout=subprocess.DEVNULL)
        for _ in range(200):
            if said.exists() and said.read_text():
                break
            assert self.process.poll() is None, "the shop did not start"
            time.sleep(0.05)
        self.url = said.read_text()

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    running = Shop(tmp_path_factory.mktemp("shop"))
    yield running
    running.stop()


@pytest.fixture
def command() -> str:
    return str(BIN / "crawlingo")


@pytest.fixture(scope="session")
def shared() -> pathlib.Path:
    """The shared test material; tests skip without it."""
    folder = pathlib.Path(os.environ.get("CRAWLINGO_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("the shared test material is not there")
    return folder
