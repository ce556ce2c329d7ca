#!/usr/bin/env python3
"""Writes src/value/date/names.tsv and src/value/currencies.tsv from Unicode CLDR data.

    npm pack cldr-dates-full@48.2.0 cldr-numbers-full@48.2.0 cldr-core@48.2.0
    for archive in *.tgz; do tar xzf "$archive" --one-top-level; done
    python3 generate_cldr.py FOLDER

Only facts are taken: names of months, weekdays, halves of the day, relative days and durations, and currency signs.
"""

import collections
import glob
import json
import pathlib
import sys
import unicodedata

source = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).parent.parent / "src/value"
version = "48.2.0"

WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
UNITS = ["second", "minute", "hour", "day", "week", "month", "year"]


def load(package, locale, name):
    paths = glob.glob(f"{source}/{package}-*/package/main/{locale}/{name}.json")
    if not paths:
        return None
    return json.load(open(paths[0]))["main"][locale]


def clean(text):
    text = unicodedata.normalize("NFC", text).lower()
    for invisible in "\u200e\u200f\u061c\u200b":
        text = text.replace(invisible, "")
    return " ".join(text.split()).rstrip(".")


def covered():
    path = glob.glob(f"{source}/cldr-core-*/package/coverageLevels.json")[0]
    levels = json.load(open(path))["effectiveCoverageLevels"]
    return {name for name, level in levels.items() if level in ("modern", "moderate")}


def folded(text):
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", plain.replace("đ", "d").replace("ı", "i").replace("ł", "l").replace("ø", "o"))


def orders():
    rows = []
    for folder in sorted(glob.glob(f"{source}/cldr-dates-full-*/package/main/*")):
        locale = pathlib.Path(folder).name
        if locale.split("-")[0] not in covered():
            continue
        short = load("cldr-dates-full", locale, "ca-gregorian")["dates"]["calendars"]["gregorian"]["dateFormats"]["short"]
        short = short["_value"] if isinstance(short, dict) else short
        order = "".join(sorted("ymd", key=lambda letter: short.lower().find(letter)))
        if order in ("dmy", "mdy", "ymd"):
            rows.append(f"{locale.lower()}\tO\t{order}")
    return rows


def locales():
    folders = glob.glob(f"{source}/cldr-dates-full-*/package/main/*")
    names = sorted(pathlib.Path(folder).name for folder in folders)
    # A language as such, or in one of its scripts; what its countries do differently is mostly order.
    wanted = covered()
    return [name for name in names if name in wanted and (len(name) <= 3 or len(name.split("-")[-1]) == 4)]


def dates():
    rows = []
    for locale in locales():
        found = collections.defaultdict(list)
        calendar = load("cldr-dates-full", locale, "ca-gregorian")["dates"]["calendars"]["gregorian"]
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for month, name in calendar["months"][context][width].items():
                    found["M" + month].append(name)
            for width in ("wide", "abbreviated", "short"):
                for day, name in calendar["days"][context].get(width, {}).items():
                    found["W" + str(WEEKDAYS.index(day) + 1)].append(name)
            for width in ("wide", "abbreviated"):
                periods = calendar["dayPeriods"][context][width]
                found["Ham"].append(periods["am"])
                found["Hpm"].append(periods["pm"])
        fields = load("cldr-dates-full", locale, "dateFields")["dates"]["fields"]
        for offset in range(-3, 4):
            name = fields["day"].get(f"relative-type-{offset}")
            if name:
                found[f"D{offset}"].append(name)
        for unit in UNITS:
            for form in (unit, unit + "-short", unit + "-narrow"):
                field = fields.get(form, {})
                if field.get("relative-type-0") and unit == "second":
                    found["D0s"].append(field["relative-type-0"])
                for name, sign in (("past", "-"), ("future", "+")):
                    for pattern in field.get(f"relativeTime-type-{name}", {}).values():
                        # `-{0} m` could be anything.
                        if pattern[0] not in "+-\u2212\u200e\u200f":
                            found[f"R{sign}{unit}"].append(pattern)
                if unit in ("week", "month", "year"):
                    for offset in (-1, 1):
                        name = field.get(f"relative-type-{offset}")
                        if name:
                            found[f"U{offset}{unit}"].append(name)
        for key, names in sorted(found.items()):
            names = {clean(name) for name in names if clean(name)}
            # As people type them without the accents.
            names = sorted(names | {folded(name) for name in names if folded(name)})
            # Numbers ("1月" stays, "1" does not) and fallbacks such as "M01" name nothing.
            names = [name for name in names if not name.isdigit() and not (name[0] == "m" and name[1:].isdigit())]
            if names:
                rows.append(f"{locale}\t{key}\t" + "|".join(names))
    return rows


def currencies():
    signs = collections.defaultdict(set)
    current = set()
    data = json.load(open(glob.glob(f"{source}/cldr-core-*/package/supplemental/currencyData.json")[0]))
    for region in data["supplemental"]["currencyData"]["region"].values():
        for entry in region:
            for code, info in entry.items():
                if "_to" not in info and info.get("_tender") != "false":
                    current.add(code)
    wanted = covered()
    for path in glob.glob(f"{source}/cldr-numbers-full-*/package/main/*/currencies.json"):
        if pathlib.Path(path).parent.name.split("-")[0] not in wanted:
            continue
        body = json.load(open(path))["main"]
        for locale in body.values():
            for code, entry in locale["numbers"]["currencies"].items():
                for key in ("symbol", "symbol-alt-narrow", "symbol-alt-variant"):
                    sign = entry.get(key)
                    if sign and sign != code and code in current:
                        signs[" ".join(sign.replace("\u200f", "").replace("\u200e", "").split())].add(code)
    rows = [f"{code}\t{code}" for code in sorted(current)]
    rows += [f"{sign}\t{'|'.join(sorted(codes))}" for sign, codes in sorted(signs.items()) if sign]
    return rows


def write(path, rows, what):
    head = f"# {what}, from Unicode CLDR {version}. Generated by data/generate_cldr.py; do not edit.\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(head + "\n".join(rows) + "\n")
    print(path, len(rows), path.stat().st_size)


write(here / "date/names.tsv", orders() + dates(), "language, meaning, names")
write(here / "currencies.tsv", currencies(), "sign, codes")
