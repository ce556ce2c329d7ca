"""Scrapling's relocation over the cases that `heal evaluate` reads, and its speed. Usage: scrapling_peer.py FOLDER

Its element is fingerprinted on the old page and looked for on the new one, at its standard threshold (40) and at none.
Absent cases are made as ours are: the true element is cut out of the new page. The cases are a fixed sample, for it takes
seconds on a large page.
"""

import copy
import json
import logging
import pathlib
import random
import sys
import time

import lxml.html
from scrapling.core.utils import _StorageTools
from scrapling.parser import Selector

PER_SET = 50
MARK = "data-oracle"


def page(path):
    root = lxml.html.document_fromstring(path.read_bytes())
    truth = {}
    for element in root.iter():
        if isinstance(element.tag, str) and MARK in element.attrib:
            for name in element.attrib.pop(MARK).split():
                truth.setdefault(name, []).append(element)
    return root, truth


def words(element):
    return element.text_content().split()


def same_thing(a, b):
    """The same element, or nested ones with the same words."""
    if a is b:
        return True
    nested = any(other is b for other in a.iterancestors()) or any(other is a for other in b.iterancestors())
    return nested and words(a) == words(b)


def relocate(root, element, percentage):
    return Selector(root=root).relocate(element, percentage)


def judge(root, element, truth):
    """For both thresholds: right, wrong or none."""
    verdicts = []
    for percentage in (40, 0):
        found = relocate(root, element, percentage)
        if not found:
            verdicts.append("none")
        elif truth is not None and any(same_thing(found[0], right) for right in truth):
            verdicts.append("right")
        else:
            verdicts.append("wrong")
    return verdicts


def evaluate(folder):
    for name in ("webevo", "sftm", "recipes"):
        path = folder / f"{name}.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines = [line for line in lines if line["kind"] == "positive"]
        random.Random(7).shuffle(lines)
        counts = {}
        used = 0
        for line in lines:
            if used == PER_SET:
                break
            old, old_truth = page(folder / line["old_html"])
            new, new_truth = page(folder / line["new_html"])
            if line["id"] not in old_truth or line["id"] not in new_truth or len(list(new.iter())) > 4000:
                continue
            used += 1
            stored = _StorageTools.element_to_dict(old_truth[line["id"]][0])
            erased = {**stored, "text": None}
            right = new_truth[line["id"]]
            for element in right:
                element.set(MARK, "")
            gone = copy.deepcopy(new)
            for element in right:
                del element.attrib[MARK]
            for other in [other for other in gone.iter() if isinstance(other.tag, str) and MARK in other.attrib]:
                if other.getparent() is not None:
                    other.drop_tree()
            for form, root, wanted, truth in (
                ("present", new, stored, right),
                ("erased", new, erased, right),
                ("absent", gone, stored, None),
            ):
                for percentage, verdict in zip((40, 0), judge(root, wanted, truth)):
                    key = (form, percentage, verdict)
                    counts[key] = counts.get(key, 0) + 1
        for form in ("present", "erased", "absent"):
            for percentage in (40, 0):
                shares = {v: 100 * counts.get((form, percentage, v), 0) / max(used, 1) for v in ("right", "wrong", "none")}
                print(
                    f"scrapling {name} {form} at {percentage}: {used} cases, "
                    f"{shares['right']:.0f} % right, {shares['wrong']:.0f} % wrong, {shares['none']:.0f} % not bound"
                )


def speed():
    for nodes in (100, 1_000, 10_000):
        rows = (nodes - 4) // 3
        html = "<html><body><ul>" + "".join(
            f"<li class='row r{n % 7}'><a href='/item/{n}'>Item number {n}</a><b class=price>{n}.50</b></li>"
            for n in range(rows)
        ) + "</ul></body></html>"
        root = lxml.html.document_fromstring(html)
        element = _StorageTools.element_to_dict(root.xpath("//b")[rows // 2])
        start, rounds = time.perf_counter(), 0
        while rounds < 3 or time.perf_counter() - start < 0.5:
            relocate(root, element, 0)
            rounds += 1
        print(f"scrapling speed {nodes} nodes: {(time.perf_counter() - start) / rounds * 1e6:.0f} us")


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    speed()
    evaluate(pathlib.Path(sys.argv[1]))
