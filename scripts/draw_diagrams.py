#!/usr/bin/env python3
"""Draws the diagrams of the documentation: docs/images/pipeline.svg and docs/images/window.svg.

    scripts/draw_diagrams.py [-o FOLDER]

The counts in window.svg are those of this command, which prints them:

    printf 'we sailed home\\na whale follows the ship across the bay\\n' |
        psdvec count - --window 5 --distance harmonic --min-count 1 -o window.counts.safetensors
    psdvec counts dump window.counts.safetensors

Needs Python 3.6 and nothing else.
"""
import argparse
from fractions import Fraction
from pathlib import Path

from svg_chart import Picture

ROOT = Path(__file__).resolve().parent.parent
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def box(picture, x, y, width, height, series=None):
    """A rounded rectangle; its edge has the colour of a series, or is grey."""
    picture.add('<rect class="stripe" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>' % (x, y, width, height))
    picture.add('<rect class="%s" fill="none" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" stroke-width="%g"/>'
                % ("s-" + series if series else "axis", x, y, width, height, 1.6 if series else 1))


def arrow(picture, points, series="grey"):
    """A line through points with an arrowhead; its last part is horizontal or vertical."""
    picture.path(points, series, 1.6)
    (x0, y0), (x, y) = points[-2:]
    dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
    picture.add('<path class="f-%s" d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ"/>' % (
        series, x + 2 * dx, y + 2 * dy, x - 7 * dx - 4.5 * dy, y - 7 * dy + 4.5 * dx,
        x - 7 * dx + 4.5 * dy, y - 7 * dy - 4.5 * dx))


def mono(picture, x, y, text, css="quiet", size=11):
    picture.add('<g font-family="%s">' % MONO)
    picture.text(x, y, text, css, size)
    picture.add("</g>")


def pipeline(path):
    width, height, gap, left = 174, 124, 24, 12
    top, bottom = 48, 226
    picture = Picture(2 * left + 5 * width + 4 * gap, 366, "From text to vectors and what they are used for",
                      "Text, counts, targets and weights, Algorithm 1, generative vectors; from these the read-out "
                      "for queries and evaluation, document probabilities, and residuals.")

    def column(number):
        return left + number * (width + gap)

    def stage(number, y, title, lines, commands, series=None):
        x = column(number)
        box(picture, x, y, width, height, series)
        picture.text(x + 12, y + 22, title, size=14, bold=True)
        for row, line in enumerate(lines):
            picture.text(x + 12, y + 43 + 17 * row, line, "quiet", 12)
        for row, line in enumerate(commands):
            mono(picture, x + 12, y + height - 12 - 15 * (len(commands) - 1 - row), line, "f-blue")

    stage(0, top, "Text", ["files, folders, archives", "words, sentences,", "documents"], ["tokenize"])
    stage(1, top, "Counts", ["x(i, j): how often word j", "is in the window", "after word i"], ["count"])
    stage(2, top, "Targets, weights", ["G: smoothed PMI, eq. 12", "f: how well the counts", "determine G, eq. 5"], ["train"])
    stage(3, top, "Algorithm 1", ["minimises, eq. 14,", "Σ f (G − v′Jv)² + Σ μ|v|²", "over the core words;", "others: regression"], ["train"])
    stage(4, top, "Generative vectors", ["v′Jv ≈ G", "explain the counts"], ["train, extend"], "blue")
    stage(4, bottom, "Read-out", ["centred, with word order", "and spelling;", "not in the paper"], ["train, convert"], "blue")
    stage(3, bottom, "Comparing words", ["by cosine: neighbours,", "analogies, test sets"],
          ["similar, analogy,", "compare, ask, eval"])
    stage(2, bottom, "Documents", ["probability of a word", "after its context, eq. 8"], ["score, next, explain,", "generate"])
    stage(1, bottom, "Residuals", ["G − v′Jv: what the", "vectors do not explain,", "eq. 4"], ["residuals"])
    for number in range(4):
        arrow(picture, [(column(number) + width + 2, top + height / 2), (column(number + 1) - 4, top + height / 2)])
    between = (top + height + bottom) / 2
    arrow(picture, [(column(4) + 0.7 * width, top + height + 2), (column(4) + 0.7 * width, bottom - 4)])
    arrow(picture, [(column(4) - 2, bottom + height / 2), (column(3) + width + 4, bottom + height / 2)])
    start = column(4) + 0.3 * width
    arrow(picture, [(start, top + height + 2), (start, between), (column(1) + width / 2, between),
                    (column(1) + width / 2, bottom - 4)])
    arrow(picture, [(column(2) + width / 2, between), (column(2) + width / 2, bottom - 4)])
    picture.text(left, 28, "psdvec train does all steps from text to read-out; psdvec count saves the counts for reuse.",
                 "ink", 14, bold=True)
    picture.text(left, bottom + 22, "In blue: commands.", "f-blue", 12)
    picture.text(left, bottom + 40, "Blue boxes: the model file.", "quiet", 12)
    picture.text(left, bottom + 58, "Equation numbers are", "quiet", 12)
    picture.text(left, bottom + 75, "those of the paper.", "quiet", 12)
    picture.save(str(path))


def window(path):
    first, second = "we sailed home".split(), "a whale follows the ship across the bay".split()
    focus, reach, scale = 4, 5, 60
    picture = Picture(900, 350, "What a window of 5 words counts",
                      "The focus word ship and the words before it in the same document, with their distances and "
                      "harmonic weights; the word at distance 5 belongs to another document and is not counted.")
    picture.text(16, 28, "--window 5 --distance harmonic: what one occurrence of ship adds to the counts", size=14, bold=True)
    y, height = 178, 34
    places, x = [], 16
    for number, word in enumerate(first + second):
        if number == len(first):
            x += 28
        span = 26 + 8.2 * len(word)
        places.append((x, span))
        x += span + 10
    edge = places[len(first)][0] - 19
    picture.add('<line class="s-orange" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-width="2" stroke-dasharray="5 4"/>'
                % (edge, y - 22, edge, y + height + 14))
    picture.text(edge, y + height + 36, "end of a document", "f-orange", 12, "middle")

    def middle(number):
        return places[number][0] + places[number][1] / 2

    at = len(first) + focus
    for number, word in enumerate(first + second):
        known = number >= len(first)
        series = "blue" if number == at else "green" if known and number < at else None
        box(picture, places[number][0], y, places[number][1], height, series)
        picture.text(middle(number), y + 22, word, "ink" if series else "quiet", 15, "middle", number == at)
    for distance in range(1, reach + 1):
        number = at - distance
        inside = number >= len(first)
        top = y - 14 - 22 * distance
        series = "green" if inside else "grey"
        x1, x2 = middle(at) + 11 * (distance - 3), middle(number)
        points = [(x2, y - 4), (x2, top), (x1, top), (x1, y - 5)]
        if inside:
            arrow(picture, points, series)
            label = "distance %d, weight %s" % (distance, "1" if distance == 1 else "1/%d" % distance)
        else:
            picture.add('<path class="s-grey" fill="none" stroke-width="1.4" stroke-dasharray="4 4" d="M%s"/>'
                        % "L".join("%.1f %.1f" % point for point in points))
            label = "distance 5, but in another document: not counted"
        picture.text(middle(at) + 36, top + 4, label, "f-" + series, 12)
    picture.text(middle(at), y + height + 20, "focus word j", "f-blue", 12, "middle", True)
    picture.text((middle(len(first)) + middle(at - 1)) / 2, y + height + 20, "context words i, before the focus word", "f-green", 12, "middle")
    picture.text((middle(at + 1) + middle(at + 3)) / 2, y + height + 20, "later words: for them,", "quiet", 12, "middle")
    picture.text((middle(at + 1) + middle(at + 3)) / 2, y + height + 36, "ship is a context word", "quiet", 12, "middle")
    x, y = 16, 286
    picture.text(x, y, "Added to x(i, j):", "ink", 13)
    picture.text(x, y + 24, "In the file, times S = %d:" % scale, "ink", 13)
    x = 206
    for distance in range(1, focus + 1):
        weight = Fraction(1, distance)
        text = "x(%s, ship) += %s" % (second[focus - distance], weight)
        mono(picture, x, y, text, "f-green", 12)
        mono(picture, x, y + 24, "+= %d" % (weight * scale), "quiet", 12)
        x += 7.25 * len(text) + 20
    picture.text(16, y + 50, "Words outside the vocabulary keep their place (--oov keep) or are removed first (--oov drop); "
                 "x(i, j) and x(j, i) are different counts.", "quiet", 12)
    picture.save(str(path))


def main():
    parser = argparse.ArgumentParser(description="Draws the diagrams of the documentation.")
    parser.add_argument("-o", metavar="FOLDER", type=Path, default=ROOT / "docs" / "images", dest="folder")
    folder = parser.parse_args().folder
    pipeline(folder / "pipeline.svg")
    window(folder / "window.svg")


if __name__ == "__main__":
    main()
