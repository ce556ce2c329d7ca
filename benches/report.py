"""Makes the table of ratios of `parse NAME MB/S` and `extract NAME RECORDS/S` lines on standard input."""

import datetime
import os
import platform
import subprocess
import sys

rows = {}
for line in sys.stdin:
    what, name, value = line.split()
    rows.setdefault(what, {})[name] = float(value)
versions = subprocess.run([sys.argv[1], "list", "--format=freeze"], capture_output=True, text=True, check=True).stdout
wanted = ("lxml", "parsel", "selectolax")
peers = ", ".join(line.replace("==", " ") for line in versions.split() if line.split("==")[0].lower() in wanted)
rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]

print("# Results\n")
print(f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, Rust {rust}, Python {platform.python_version()}; {peers}.")
print(f"One run, one thread, the best of five rounds. Parse: {os.environ['WHAT']}, bytes to a document, with finding the encoding;")
print("extract: a listing of 1,000 products, four texts each, parse included (`crawlingo-typed`: with prices and numbers).\n")
for what, unit in (("parse", "MB/s"), ("extract", "records/s")):
    ours = rows[what]["crawlingo"]
    print(f"| {what} | {unit} | crawlingo is |\n|---|---:|---:|")
    for name, value in sorted(rows[what].items(), key=lambda row: -row[1]):
        print(f"| {name} | {value:,.0f} | {ours / value:.2f}x |")
    print()
