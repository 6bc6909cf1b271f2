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

from svg_chart import Panel, Picture, read_csv

ROOT = Path(__file__).resolve().parent.parent
OBJECTIVE = ROOT / "docs/data/algorithm1-objective.csv"
SPECTRUM = ROOT / "docs/data/algorithm1-spectrum.csv"
PICTURE = ROOT / "docs/images/algorithm1.svg"
EXACT, REFINING = 1, 3  # iterations of the default preset, in order


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
    """L(0): the objective in the log during the first iteration."""
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

WIDTH, HEIGHT = 900, 372
TOP, BOTTOM = 44, 316  # of both panels


def objective_panel(picture):
    runs = {}
    for row in read_csv(OBJECTIVE):
        runs.setdefault(row["run"], []).append((int(row["iteration"]), 100 * float(row["share"])))
    panel = Panel(picture, 66, TOP, 374, BOTTOM - TOP, (0, 8), (0, 100))
    panel.heading("Objective, share of that at X(0) = 0")
    panel.y_axis(range(0, 101, 20), "%d %%")
    panel.x_axis(range(9), title="iteration")
    panel.series("grey", runs["psd"])
    panel.series("orange", runs["short"])
    panel.line("blue", runs["exact"])
    for point in runs["default"][1:]:
        exact = (point[0] - 1) % (EXACT + REFINING) < EXACT
        panel.markers("blue", [point], hollow=not exact)
    panel.label("grey", 4.1, 86, "psd form, ω = 1.6")
    panel.label("orange", 3.25, 53.5, "ω = 1")
    panel.label("blue", 2.0, 27, "ω = 1.6; line: all exact")
    panel.label("blue", 2.0, 21.5, "dots: default, ● exact, ○ refining")


def spectrum_panel(picture):
    runs = {"default": [], "psd": []}
    for row in read_csv(SPECTRUM):
        runs[row["run"]].append(float(row["eigenvalue"]))
    positive = [v for v in runs["default"] if v > 0]
    negative = [-v for v in runs["default"] if v < 0]
    panel = Panel(picture, 520, TOP, 364, BOTTOM - TOP, (0, 300), (2, 5))
    panel.heading("Eigenvalues after 4 iterations, |λ|")
    panel.y_axis(range(2, 6), lambda power: "{:,}".format(10 ** power))
    panel.x_axis(range(0, 301, 50), title="number, by magnitude")

    def points(values):
        return [(k + 1, math.log10(v)) for k, v in enumerate(values)]

    panel.line("grey", points(runs["psd"]))
    panel.line("blue", points(positive))
    panel.markers("orange", points(negative), 2.5)
    panel.label("orange", 8, math.log10(negative[0]) - 0.04, "the largest: −{:,.0f}".format(negative[0]))
    panel.label("orange", 42, 2.4, "%d negative" % len(negative))
    panel.label("blue", 110, 3.12, "%d positive" % len(positive))
    panel.label("grey", 150, 2.4, "psd form, %d" % len(runs["psd"]))


def draw():
    picture = Picture(WIDTH, HEIGHT, "Algorithm 1: objective per iteration, and eigenvalues of the result",
                      "The objective of four runs by iteration, and the eigenvalues of two models by magnitude.")
    objective_panel(picture)
    spectrum_panel(picture)
    picture.save(PICTURE)


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--measure":
        measure(Path(arguments[1]))
    elif arguments:
        sys.exit(__doc__)
    draw()


if __name__ == "__main__":
    main(sys.argv[1:])
