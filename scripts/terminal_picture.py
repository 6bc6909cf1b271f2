#!/usr/bin/env python3
"""Draws a real terminal run as an SVG picture.

    scripts/terminal_picture.py                         docs/images/demo.svg, after `make demo`
    scripts/terminal_picture.py OUT.svg COMMAND...      any other commands

sh runs each COMMAND on a separate pseudo-terminal, 90 columns wide, in a temporary
folder, with the built program in PATH. The output, including colours, is drawn below
the command. Nothing is edited; progress lines that the program erases are not shown.

No font is embedded: text uses the reader's monospace font, fitted to its columns, and
bars are drawn as rectangles. The script needs only Python 3.6. For the picture of the
README, the temporary folder contains the text of the demo as dictionaries.txt, without
its three bytes that are not valid UTF-8.
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 90
DEMO = [
    "psdvec train dictionaries.txt --min-count 10 --dim 200 -q -o dictionaries.safetensors",
    "psdvec similar dictionaries.safetensors violin copper --top 5",
    "psdvec analogy dictionaries.safetensors sailor ship pilot --top 3",
    "psdvec odd-one-out dictionaries.safetensors violin flute copper oboe",
]

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SIZE, CELL, LINE, EDGE, BAR = 14, 8.4, 19, 20, 34  # pixels
BACKGROUND, TEXT, PROMPT = "#12161c", "#d5dae1", "#7fd3a0"
COLOURS = {31: "#f47c7c", 32: "#7fd3a0", 33: "#e8c56b", 34: "#7aa8f0", 35: "#c99af0", 36: "#5cc8d7"}
DIM = "#8b949e"


def capture(command, folder):
    """The output of the command on a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        environment = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
        environment["PATH"] = "%s:%s" % (ROOT / "build", environment.get("PATH", ""))
        environment.pop("NO_COLOR", None)
        command = "stty cols %d rows 50 -echo; %s" % (COLUMNS, command)
        os.execvpe("sh", ["sh", "-c", command], environment)
    output = b""
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:  # on Linux: the other end has closed
            break
        if not block:
            break
        output += block
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit("failed: %s\n%s" % (command, output.decode(errors="replace")))
    return output.decode()


def lines_of(output):
    """Lines of cells (character, style); a style is (colour, bold, dim)."""
    plain = (None, False, False)
    style, line, column, lines = plain, [], 0, []
    for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|[^\x1b]", output):
        if part == "\r":
            column = 0
        elif part == "\n":
            lines.append(line)
            line, column = [], 0
        elif part.endswith("K") and part.startswith("\x1b"):
            del line[column:]
        elif part.startswith("\x1b"):
            for code in (int(c or 0) for c in part[2:-1].split(";")):
                colour, bold, dim = style
                style = {0: plain, 1: (colour, True, dim), 2: (colour, bold, True)}.get(
                    code, (COLOURS.get(code, colour), bold, dim))
        else:
            line.extend([(" ", plain)] * (column - len(line)))
            line[column:column + 1] = [(part, style)]
            column += 1
    return lines + ([line] if line else [])


def fill_of(style):
    colour, _, dim = style
    return colour or (DIM if dim else TEXT)


def draw_line(line, top):
    """SVG of one line: bars as rectangles, the rest as text."""
    column = 0
    while column < len(line):
        style = line[column][1]
        end = column
        bar = line[column][0] in BLOCKS
        while end < len(line) and line[end][1] == style and (line[end][0] in BLOCKS) == bar:
            end += 1
        text = "".join(character for character, _ in line[column:end])
        if bar:
            width = sum(BLOCKS[character] for character in text) * CELL
            yield '<rect x="%.1f" y="%.1f" width="%.2f" height="%.1f" fill="%s"/>' % (
                EDGE + column * CELL, top + 3.5, width, LINE - 6, fill_of(style))
        else:  # one element for each stretch without consecutive spaces
            for word in re.finditer(r"\S+( \S+)*", text):
                yield '<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s>%s</text>' % (
                    EDGE + (column + word.start()) * CELL, top + 14,
                    len(word.group()) * CELL, fill_of(style),
                    ' font-weight="bold"' if style[1] else "", escape(word.group()))
        column = end


BLOCKS = {chr(0x2588 + k): (8 - k) / 8 for k in range(8)}  # full block to one eighth


def picture(runs):
    rows = []
    for number, (command, output) in enumerate(runs):
        if number:
            rows.append([])
        typed = [(c, (None, True, False)) for c in command]
        rows.append([("$", (PROMPT, True, False)), (" ", (None, False, False))] + typed)
        rows.extend(lines_of(output))
    while rows and not rows[-1]:
        rows.pop()
    width = 2 * EDGE + COLUMNS * CELL
    height = BAR + len(rows) * LINE + EDGE
    yield ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'font-family="%s" font-size="%d">' % (width, height, width, height, FONT, SIZE))
    yield "<title>%s</title>" % escape("; ".join(command for command, _ in runs))
    yield '<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % BACKGROUND
    for k, colour in enumerate(("#f47c7c", "#e8c56b", "#7fd3a0")):
        yield '<circle cx="%d" cy="17" r="5" fill="%s"/>' % (EDGE + 5 + 17 * k, colour)
    for number, row in enumerate(rows):
        yield from draw_line(row, BAR + number * LINE)
    yield "</svg>"


def prepare_demo(folder):
    text = ROOT / "build" / "demo" / "dictionaries.txt"
    if not text.exists():
        sys.exit("%s is not there; run make demo first" % text)
    with open(Path(folder) / "dictionaries.txt", "wb") as out:
        subprocess.run(["iconv", "-c", "-f", "utf-8", "-t", "utf-8", str(text)], stdout=out)


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images" / "demo.svg"
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) <= 2:
            prepare_demo(folder)
        runs = [(c, capture(c, folder)) for c in sys.argv[2:] or DEMO]
    out.write_text("\n".join(picture(runs)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
