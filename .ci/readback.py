"""Reads what the command writes by Python's csv and json modules, and computes it again.

    readback.py DATA CENTERS MEMBERSHIPS MODEL FIT CERTIFY

Numbers have to come back without loss: each is the shortest text of the float that
Python reads. The objective is then computed anew, with exact sums.
"""

import csv
import json
import math
import sys


def table(name, header):
    with open(name, newline="") as f:
        rows = list(csv.reader(f))
    names = rows.pop(0) if header else None
    return names, rows


def numbers(rows, name):
    values = []
    for line, row in enumerate(rows, 2):
        values.append([])
        for field in row:
            v = float(field)
            if digits(field) != digits(repr(v)):
                sys.exit(f"{name}:{line}: {field} is not the shortest text of {v!r}")
            values[-1].append(v)
    return values


def digits(s):
    """The significant digits, whatever the form."""
    return s.lower().split("e")[0].replace(".", "").replace("-", "").strip("0")


def near(a, b, tol, what):
    if not abs(a - b) <= tol:
        sys.exit(f"{what}: {a!r} and {b!r}")


def main(data, centers, memberships, model, fit, certify):
    x = [[float(v) for v in row] for row in table(data, False)[1]]
    names, f = table(centers, True)
    f = numbers(f, centers)
    head, g = table(memberships, True)
    labels, largest = [int(row[0]) for row in g], [int(row[-1]) for row in g]
    g = numbers([row[1:-1] for row in g], memberships)
    with open(model) as m, open(fit) as r, open(certify) as c:
        model, fit, again = json.load(m), json.load(r), json.load(c)
    k = len(f)
    if head != ["label", *(f"p{j}" for j in range(k)), "largest"] or labels != largest or names != model["columns"] or len(g) != len(x):
        sys.exit(f"{head}, {names}, {len(g)} rows")
    if f != model["centers"] or f != fit["centers"]:
        sys.exit("the centers of the three files differ")
    for i, row in enumerate(g):
        near(math.fsum(row), 1, 1e-12, f"sum of row {i}")
        if min(row) < 0 or row[labels[i]] != max(row):
            sys.exit(f"row {i}: {row}, label {labels[i]}")
    shift, divisor = model.get("shift", [0] * len(names)), model.get("divisor", [1] * len(names))
    squares = []
    for row, shares in zip(x, g):
        for j, v in enumerate(row):
            mixed = math.fsum(s * center[j] for s, center in zip(shares, f))
            squares.append(((v - mixed) / divisor[j]) ** 2)
    certificate = fit["certificate"]
    near(math.fsum(squares), certificate["objective"], 1e-9 * certificate["total"], "objective")
    for name, v in certificate.items():
        if name == "certified":
            if not v or not again["certificate"][name]:
                sys.exit("not certified")
        elif name in ("spanError", "gap", "maxSumError", "repair", "excessShare"):
            near(v, again["certificate"][name], 1e-12, name)
        elif name == "excessFloors" and v is not None:
            near(v, again["certificate"][name], 1e-9, name)
        elif (model["scale"] == "none" or isinstance(v, str) or v is None) and v != again["certificate"][name]:
            sys.exit(f"{name}: fit says {v!r}, certify {again['certificate'][name]!r}")
        elif isinstance(v, str) or v is None:
            continue
        else:
            near(v, again["certificate"][name], 1e-12 * certificate["total"], name)
    print(f"Python reads {len(x)} rows, {k} centers: objective {math.fsum(squares):.10g}, as certified")


main(*sys.argv[1:])
