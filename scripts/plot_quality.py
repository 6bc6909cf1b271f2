#!/usr/bin/env python3
"""Draws the figures of docs/explanation from the measurements in docs/data.

    scripts/plot_quality.py [-o FOLDER] [FIGURE]...

FIGURE is components, text-size, dimensions, solver-limits or agreement (default: all), FOLDER where they are written
(default: docs/images).

The first lines of each CSV file name the command that measured it. Needs Python 3.6 and nothing else.
"""
import argparse
from pathlib import Path

from svg_chart import Panel, Picture, read_csv

ROOT = Path(__file__).resolve().parent.parent
DATA, IMAGES = ROOT / "docs" / "data", ROOT / "docs" / "images"


def unique(values):
    return list(dict.fromkeys(values))


def signed(value, digits):
    return ("%+.*f" % (digits, value)).replace("-", "\u2212")


def components():
    """Differences to the default: a row per variant, a panel per test set, a marker per half of the questions."""
    rows = read_csv(DATA / "components.csv")
    variants = unique(row["variant"] for row in rows)[1:]
    default = {row["half"]: row for row in rows if row["variant"] == "default"}
    panels = [("ws-rel", "WS-rel"), ("men", "MEN"), ("simlex", "SimLex"), ("google semantic", "Google, sem."),
              ("google syntactic", "Google, synt."), ("msr", "MSR")]
    left, top, step, width, gap, limit = 182, 64, 21, 118, 14, 0.12
    height = step * len(variants)
    picture = Picture(left + len(panels) * (width + gap) + 6, top + height + 54,
                      "What each choice of the default preset contributes",
                      "Difference of the score to the default preset when one setting changes, for six test sets.")
    picture.text(16, 25, "Change of the score when one setting of the default changes", size=14, bold=True)
    picture.marker(left + 366, 21, "blue")
    picture.text(left + 376, 25, "first half of the questions")
    picture.marker(left + 546, 21, "blue", hollow=True)
    picture.text(left + 556, 25, "second half")
    for number in range(0, len(variants), 2):
        picture.rect(12, top + number * step, picture.width - 20, step, "stripe")
    for number, variant in enumerate(variants):
        picture.text(left - 12, top + (number + 0.5) * step + 4, variant, anchor="end")
    for number, (column, label) in enumerate(panels):
        panel = Panel(picture, left + number * (width + gap), top, width, height, (-limit, limit), (0, 1))
        panel.heading(label)
        panel.x_axis([-0.1, -0.05, 0, 0.05, 0.1],
                     lambda v: "0" if v == 0 else signed(v, 1) if abs(v) > 0.07 else "", grid=True)
        zero = panel.place(0, 0)[0]
        picture.line(zero, top, zero, top + height, "zero")
        for index, variant in enumerate(variants):
            y = top + (index + 0.5) * step
            found = {row["half"]: float(row[column]) - float(default[row["half"]][column])
                     for row in rows if row["variant"] == variant}
            if min(found.values()) < -limit:  # off the scale: the mean as a number at the left edge
                picture.text(panel.x + 3, y + 4, "◂ " + signed(sum(found.values()) / 2, 2), size=11)
                continue
            ends = [panel.place(found[half], 0)[0] for half in ("first", "second")]
            picture.line(ends[0], y, ends[1], y, "s-blue", 1.5)
            picture.marker(ends[1], y, "blue", hollow=True)
            picture.marker(ends[0], y, "blue")
    picture.text(left, top + height + 42, "Differences under 0.01 are noise unless many cells agree.", "quiet", 11)
    return picture


def best_scores(rows, system, test_set):
    """The (words, score, low, high) of a system on a test set by amount of text; for analogies the
    better method."""
    best = {}
    for row in rows:
        if row["system"] == system and row["set"] == test_set:
            values = tuple(float(row[name]) for name in ("words", "score", "low", "high"))
            if values[0] not in best or values[1] > best[values[0]][1]:
                best[values[0]] = values
    return [best[words] for words in sorted(best)]


def text_size():
    """Score against the amount of text, a panel per test set."""
    rows = read_csv(DATA / "text-size.csv")
    systems = [("psd", "blue", "psdvec"), ("psd-plain", "sky", "psdvec without spelling and word order"),
               ("sgns-epochs", "amber", "skip-gram, more epochs"), ("sgns", "orange", "skip-gram, 5 epochs"),
               ("glove", "green", "GloVe")]
    panels = [("bruni_men", "MEN", "Spearman correlation", 0.85),
              ("simlex_999a", "SimLex-999", "Spearman correlation", 0.4),
              ("google", "Google analogies", "share answered correctly", 0.85),
              ("msr", "MSR analogies", "share answered correctly", 0.85)]
    left, top, width, height, across, down = 66, 120, 356, 206, 88, 76
    picture = Picture(left + 2 * width + across + 22, top + 2 * height + down + 58, "Scores by amount of training text",
                      "Scores of psdvec, skip-gram and GloVe trained on 1 to 64 million words, on four test sets.")
    picture.text(16, 27, "Score against amount of training text, 100 dimensions", size=14, bold=True)
    picture.legend(18, 50, [entry[1:] for entry in systems[:2]])
    picture.legend(18, 71, [entry[1:] for entry in systems[2:]])
    for number, (test_set, label, measure, high) in enumerate(panels):
        panel = Panel(picture, left + number % 2 * (width + across), top + number // 2 * (height + down), width, height,
                      (0.88e6, 80e6), (0, high), x_log=True)
        panel.heading(label)
        picture.text(panel.x - 44, panel.y + height / 2, measure, "quiet", 12, "middle", turn=-90)
        panel.y_axis([0.2 * part for part in range(5)] if high > 0.5 else [0.1 * part for part in range(5)], "%.1f")
        panel.x_axis([1e6, 2e6, 4e6, 8e6, 16e6, 32e6, 64e6], lambda words: "%d M" % (words / 1e6),
                     title="words of text" if number > 1 else "")
        for system, series, _ in reversed(systems):
            points = best_scores(rows, system, test_set)
            if system == "sgns-epochs":  # the largest part of the text has 5 epochs in both
                points += [p for p in best_scores(rows, "sgns", test_set) if p[0] > points[-1][0]]
            panel.series(series, [p[:2] for p in points], [(p[0], p[2], p[3]) for p in points if system == "psd"])
    return picture


def dimensions():
    """CPU time against dimensions, and the ratio of the two systems."""
    rows = read_csv(DATA / "dimensions.csv")
    times = {}
    for row in rows:
        times.setdefault((row["system"], int(row["dimensions"])), []).append(float(row["cpu_seconds"]))
    median = {key: sorted(values)[(len(values) - 1) // 2] for key, values in times.items()}
    dims = sorted({dim for _, dim in median})
    left, top, width, height, across = 58, 84, 300, 206, 86
    picture = Picture(left + 2 * width + across + 24, top + height + 60, "Training time by dimensions",
                      "CPU seconds of psdvec and skip-gram for 100 to 500 dimensions, and their ratio.")
    picture.text(16, 27, "Training time against dimensions, 4 million words", size=14, bold=True)
    highest = max(median.values())
    step = next(s for s in (5, 10, 20, 25, 50, 100) if highest <= 5 * s)
    ticks = [step * k for k in range(int(-(-highest // step)) + 1)]
    panel = Panel(picture, left, top, width, height, (60, 540), (0, ticks[-1]))
    panel.heading("CPU seconds, text to vectors")
    panel.y_axis(ticks)
    panel.x_axis(dims, title="dimensions")
    picture.legend(left + 14, top + 14, [("blue", "psdvec")])
    picture.legend(left + 14, top + 34, [("orange", "skip-gram, 5 epochs")])
    panel.series("orange", [(dim, median["sgns", dim]) for dim in dims])
    panel.series("blue", [(dim, median["psd", dim]) for dim in dims])
    ratios = [(dim, median["sgns", dim] / median["psd", dim]) for dim in dims]
    top_ratio = int(max(value for _, value in ratios)) + 1
    panel = Panel(picture, left + width + across, top, width, height, (60, 540), (0, top_ratio))
    panel.heading("Ratio: skip-gram / psdvec")
    panel.y_axis(range(top_ratio + 1), "%d×")
    panel.x_axis(dims, title="dimensions")
    panel.series("purple", ratios)
    for dim, value in ratios:
        x, y = panel.place(dim, value)
        picture.text(x, y - 10, "%.1f" % value, size=11, anchor="middle")
    return picture


def solver_limits():
    """Share of the machine's limit that each part of the solver reaches: a row per part."""
    rows = read_csv(DATA / "solver-limits.csv")
    left, top, step, width = 352, 64, 23, 330
    height = step * len(rows)
    picture = Picture(left + width + 84, top + height + 46, "Speed of the parts of the solver",
                      "Share of the limit of the machine that each part of the solver reaches.")
    picture.text(16, 25, "Parts of the solver: share of the limit of the machine", size=14, bold=True)
    picture.text(left + width + 16, top - 10, "ms", "quiet", 12)
    panel = Panel(picture, left, top, width, height, (0, 1.1), (0, 1))
    for number in range(0, len(rows), 2):
        picture.rect(12, top + number * step, picture.width - 20, step, "stripe")
    panel.x_axis([0, 0.25, 0.5, 0.75, 1], lambda share: "%d %%" % (100 * share), grid=True)
    zero = panel.place(0, 0)[0]
    for number, row in enumerate(rows):
        y = top + (number + 0.5) * step
        end = panel.place(float(row["reached"]), 0)[0]
        picture.text(left - 12, y + 4, row["part"], anchor="end")
        picture.line(zero, y, end, y, "s-blue", 5)
        picture.marker(end, y, "blue")
        picture.text(left + width + 16, y + 4, "%.0f" % float(row["ms"]), size=11)
    return picture


def agreement():
    """Score of psdvec's baselines against that of the original programs: a panel for each kind of test set."""
    rows = read_csv(DATA / "agreement.csv")
    pairs = list(zip(rows[::2], rows[1::2]))
    groups = [("ppmi", "purple", "PPMI"), ("svd", "blue", "SVD"), ("cca", "grey", "CCA"),
              ("sgns", "orange", "skip-gram, CBOW"), ("glove", "green", "GloVe")]
    panels = [("Spearman correlation, five sets", ["ws-sim", "ws-rel", "men", "turk", "simlex"], (0.2, 0.8)),
              ("Share of analogies, Google and MSR",
               ["google 3cosadd", "google 3cosmul", "msr 3cosadd", "msr 3cosmul"], (0.2, 0.5))]
    left, top, side, across = 66, 100, 290, 92
    picture = Picture(left + 2 * side + across + 22, top + side + 58, "Scores of psdvec's baselines and of other programs",
                      "Scores of psdvec's baselines against those of the original programs; most are on the diagonal.")
    picture.text(16, 27, "Baselines of psdvec against the original programs", size=14, bold=True)
    picture.legend(18, 52, [entry[1:] for entry in groups])
    for number, (label, columns, limits) in enumerate(panels):
        panel = Panel(picture, left + number * (side + across), top, side, side, limits, limits)
        panel.heading(label)
        ticks = [limits[0] + 0.1 * step for step in range(round(10 * (limits[1] - limits[0])) + 1)]
        panel.y_axis(ticks, "%.1f")
        panel.x_axis(ticks, "%.1f", title="original program")
        picture.text(panel.x - 40, panel.y + side / 2, "psdvec", "quiet", 12, "middle", turn=-90)
        picture.line(*panel.place(limits[0], limits[0]), *panel.place(limits[1], limits[1]), "zero")
        for ours, theirs in pairs:
            series = next(entry[1] for entry in groups if ours["system"].startswith(entry[0]))
            panel.markers(series, [(float(theirs[column]), float(ours[column])) for column in columns], 3.6)
    return picture


FIGURES = {"components": components, "text-size": text_size, "dimensions": dimensions, "solver-limits": solver_limits,
           "agreement": agreement}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="folder", type=Path, default=IMAGES,
                        help="write to this folder (default: docs/images)")
    parser.add_argument("figures", nargs="*", metavar="FIGURE",
                        help="%s (default: all)" % ", ".join(FIGURES))
    options = parser.parse_args()
    for name in options.figures or FIGURES:
        if name not in FIGURES:
            parser.error("no figure is called %s; choose from %s" % (name, ", ".join(FIGURES)))
        FIGURES[name]().save(options.folder / (name + ".svg"))


if __name__ == "__main__":
    main()
