#!/usr/bin/env python3
"""Draws docs/images/algorithm1.svg: the objective per iteration of Algorithm 1 and the eigenvalues of the result.

    scripts/algorithm1_picture.py                       draws the picture from the CSV files in docs/data
    scripts/algorithm1_picture.py --measure FOLDER      writes the CSV files from models in FOLDER, then draws

The models and logs in FOLDER come from these commands, on a text of 16 million words:

    psdvec count TEXT --min-count 20 --window 10 --distance harmonic --subsample 1e-3 --oov drop -o counts.safetensors
    train="psdvec train counts.safetensors --dim 300 --centre no --order off --spelling off"
    $train --iterations 8 --log default.jsonl -o default.safetensors
    $train --iterations 8 --exact-iterations all --log exact.jsonl -o exact.safetensors
    $train --iterations 8 --exact-iterations all --relaxation 1 --log short.jsonl -o short.safetensors
    $train --iterations 8 --exact-iterations all --form psd --log psd.jsonl -o psd.safetensors
    $train --log default-4.jsonl -o default-4.safetensors
    $train --form psd --log psd-4.jsonl -o psd-4.safetensors

The objective at X(0) = 0 is in the log, the objective after each iteration in the metadata of the model, and the
eigenvalues are those of the last two models. The picture follows the reader's light or dark colour scheme. Needs
Python 3.6 and nothing else.
"""
import csv
import json
import math
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OBJECTIVE = ROOT / "docs/data/algorithm1-objective.csv"
SPECTRUM = ROOT / "docs/data/algorithm1-spectrum.csv"
PICTURE = ROOT / "docs/images/algorithm1.svg"
EXACT, REFINING = 1, 3  # iterations of the default preset, in turn


# ---- From models to CSV files ------------------------------------------------


def read_model(path):
    """The metadata and the eigenvalues of a model."""
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensor = header["eigenvalues"]
    begin, end = (8 + length + offset for offset in tensor["data_offsets"])
    return header["__metadata__"], struct.unpack("<%df" % tensor["shape"][0], data[begin:end])


def start_objective(path):
    """L(0): the objective that the log has while the first iteration runs."""
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event.get("stage") == "solving" and "objective" in event:
            return event["objective"]
    sys.exit("%s: no objective; use a log written by psdvec train --log" % path)


def write_table(path, names, rows):
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(names)
        table.writerows(rows)


def measure(folder):
    rows = []
    for run in ("default", "exact", "short", "psd"):
        metadata, _ = read_model(folder / (run + ".safetensors"))
        first = start_objective(folder / (run + ".jsonl"))
        rows.append([run, 0, "", "", "", "%.6g" % first, "1.0000"])
        for step in json.loads(metadata["history"]):
            rows.append([run, step["iteration"], step["relaxation"], step["rank"], step["positive"],
                         "%.6g" % step["objective"], "%.4f" % (step["objective"] / first)])
    write_table(OBJECTIVE, ["run", "iteration", "relaxation", "rank", "positive", "objective", "share"], rows)
    rows = []
    for run in ("default", "psd"):
        _, values = read_model(folder / (run + "-4.safetensors"))
        rows += [[run, k + 1, "%.6g" % value] for k, value in enumerate(values)]
    write_table(SPECTRUM, ["run", "number", "eigenvalue"], rows)


# ---- From CSV files to the picture --------------------------------------------

STYLE = """
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .small { font-size: 12px; fill: #57606a }
  .ground { fill: #ffffff }
  .grid { stroke: #d8dee4; stroke-width: 1 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  .blue { stroke: #0969da } .blue.dot, text.blue { fill: #0969da }
  .orange { stroke: #bc4c00 } .orange.dot, text.orange { fill: #bc4c00 }
  .grey { stroke: #6e7781 } .grey.dot, text.grey { fill: #6e7781 }
  text.blue, text.orange, text.grey { stroke: none }
  .dot.open { fill: #ffffff; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .small { fill: #9198a1 }
    .ground { fill: #0d1117 }
    .grid { stroke: #30363d }
    .blue { stroke: #58a6ff } .blue.dot, text.blue { fill: #58a6ff }
    .orange { stroke: #f0883e } .orange.dot, text.orange { fill: #f0883e }
    .grey { stroke: #9198a1 } .grey.dot, text.grey { fill: #9198a1 }
    .dot.open { fill: #0d1117 }
  }
"""
WIDTH, HEIGHT = 900, 400
TOP, BOTTOM = 64, 346  # of both panels


class Panel:
    """A rectangle with axes; x and y map data to pixels."""

    def __init__(self, left, right, x, y):
        self.left, self.right, self.parts = left, right, []
        self.x = lambda v: left + (v - x[0]) / (x[1] - x[0]) * (right - left)
        self.y = lambda v: BOTTOM - (v - y[0]) / (y[1] - y[0]) * (BOTTOM - TOP)

    def add(self, form, *values):
        self.parts.append(form % values)

    def text(self, x, y, words, kind="", anchor="start"):
        self.add('<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>', x, y, kind, anchor, words)

    def axes(self, title, x_title, x_ticks, y_ticks):
        self.text(self.left, 28, title, "title")
        for value, words in y_ticks:
            self.add('<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="grid"/>', self.left, self.right,
                     self.y(value), self.y(value))
            self.text(self.left - 8, self.y(value) + 4, words, "small", "end")
        for value, words in x_ticks:
            self.text(self.x(value), BOTTOM + 20, words, "small", "middle")
        self.text((self.left + self.right) / 2, BOTTOM + 42, x_title, "small", "middle")

    def line(self, points, colour):
        path = " ".join("%.1f,%.1f" % (self.x(a), self.y(b)) for a, b in points)
        self.add('<polyline points="%s" class="line %s"/>', path, colour)

    def dots(self, points, colour, radius=3.0):
        for a, b in points:
            self.add('<circle cx="%.1f" cy="%.1f" r="%.1f" class="dot %s"/>', self.x(a), self.y(b), radius, colour)


def objective_panel():
    runs = {}
    with OBJECTIVE.open(newline="") as file:
        for row in csv.DictReader(file):
            runs.setdefault(row["run"], []).append((int(row["iteration"]), 100 * float(row["share"])))
    panel = Panel(66, 440, (0, 8), (0, 100))
    panel.axes("Objective, share of that at X(0) = 0", "iteration", [(t, t) for t in range(9)],
               [(v, "%d %%" % v) for v in range(0, 101, 20)])
    for run, colour in (("psd", "grey"), ("short", "orange"), ("exact", "blue")):
        panel.line(runs[run], colour)
    panel.dots(runs["psd"][1:], "grey")
    panel.dots(runs["short"][1:], "orange")
    for t, share in runs["default"][1:]:
        exact = (t - 1) % (EXACT + REFINING) < EXACT
        panel.dots([(t, share)], "blue" if exact else "blue open", 4.0)
    panel.text(panel.x(4.1), panel.y(86), "psd form, ω = 1.6", "grey")
    panel.text(panel.x(3.25), panel.y(53.5), "ω = 1", "orange")
    panel.text(panel.x(2.0), panel.y(27), "ω = 1.6; line: all exact", "blue")
    panel.text(panel.x(2.0), panel.y(20), "dots: default, ● exact, ○ refining", "blue")
    return panel


def spectrum_panel():
    runs = {"default": [], "psd": []}
    with SPECTRUM.open(newline="") as file:
        for row in csv.DictReader(file):
            runs[row["run"]].append(float(row["eigenvalue"]))
    positive = [v for v in runs["default"] if v > 0]
    negative = [-v for v in runs["default"] if v < 0]
    panel = Panel(530, 884, (0, 300), (2, 5))
    panel.axes("Eigenvalues after 4 iterations, |λ|", "number, by magnitude", [(k, k) for k in range(0, 301, 50)],
               [(2, "100"), (3, "1,000"), (4, "10,000"), (5, "100,000")])

    def points(values):
        return [(k + 1, math.log10(v)) for k, v in enumerate(values)]

    panel.line(points(runs["psd"]), "grey")
    panel.line(points(positive), "blue")
    panel.dots(points(negative), "orange", 2.5)
    panel.text(panel.x(8), panel.y(math.log10(negative[0])) + 4, "the largest: −{:,.0f}".format(negative[0]), "orange")
    panel.text(panel.x(42), panel.y(2.4), "%d negative" % len(negative), "orange")
    panel.text(panel.x(110), panel.y(3.12), "%d positive" % len(positive), "blue")
    panel.text(panel.x(150), panel.y(2.4), "psd form, %d" % len(runs["psd"]), "grey")
    return panel


def draw():
    parts = objective_panel().parts + spectrum_panel().parts
    PICTURE.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n'
                       "<title>Algorithm 1: objective per iteration, and eigenvalues of the result</title>\n"
                       "<style>%s</style>\n"
                       '<rect width="%d" height="%d" class="ground"/>\n%s\n</svg>\n'
                       % (WIDTH, HEIGHT, WIDTH, HEIGHT, STYLE, WIDTH, HEIGHT, "\n".join(parts)))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--measure":
        measure(Path(arguments[1]))
    elif arguments:
        sys.exit(__doc__)
    draw()


if __name__ == "__main__":
    main(sys.argv[1:])
