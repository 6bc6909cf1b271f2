"""Small SVG charts for the documentation: panels with axes, lines, markers and intervals.

The pictures follow the reader's colour scheme (prefers-color-scheme). Series differ by marker and
dash as well as by colour, and the colours (Okabe and Ito's, lightened for dark backgrounds) can be
told apart by colour-blind readers. Needs Python 3.6 and nothing else.
"""
import csv
import math
from xml.sax.saxutils import escape, quoteattr

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', 'Liberation Sans', Arial, sans-serif"
# name: colour on light, colour on dark, marker, dashes
SERIES = {
    "blue": ("#0072b2", "#56b4e9", "circle", ""),
    "orange": ("#c45a00", "#f0a04b", "square", ""),
    "green": ("#00805d", "#3fc79a", "triangle", ""),
    "purple": ("#a8487f", "#e39ac4", "diamond", ""),
    "grey": ("#6e7781", "#9aa4b0", "triangle", ""),
    "sky": ("#0072b2", "#56b4e9", "ring", "5 3"),
    "amber": ("#c45a00", "#f0a04b", "hollow", "5 3"),
}
THEME = {  # class: property, light, dark
    "paper": ("fill", "#ffffff", "#14181e"),
    "ink": ("fill", "#1f2328", "#e3e8ee"),
    "quiet": ("fill", "#59636e", "#9aa4b0"),
    "grid": ("stroke", "#e3e6ea", "#2a313a"),
    "axis": ("stroke", "#8b949e", "#6b7480"),
    "zero": ("stroke", "#59636e", "#9aa4b0"),
    "stripe": ("fill", "#f5f7f9", "#1a2028"),
}


def read_csv(path):
    """Rows of a CSV file as dictionaries; lines that begin with # are comments."""
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


class Picture:
    def __init__(self, width, height, title, description):
        self.width, self.height, self.title, self.description = width, height, title, description
        self.parts = []

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, css="ink", size=12, anchor="start", bold=False, turn=0):
        rotate = ' transform="rotate(%g %.1f %.1f)"' % (turn, x, y) if turn else ""
        self.add('<text class="%s" x="%.1f" y="%.1f" font-size="%g" text-anchor="%s"%s%s>%s</text>' % (
            css, x, y, size, anchor, ' font-weight="600"' if bold else "", rotate, escape(text)))

    def line(self, x1, y1, x2, y2, css, width=1):
        self.add('<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-width="%g"/>' % (
            css, x1, y1, x2, y2, width))

    def rect(self, x, y, width, height, css):
        self.add('<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>' % (css, x, y, width, height))

    def path(self, points, series, width=2):
        dashes = SERIES[series][3]
        self.add('<path class="s-%s" fill="none" stroke-width="%g" stroke-linejoin="round"%s d="M%s"/>' % (
            series, width, ' stroke-dasharray="%s"' % dashes if dashes else "",
            "L".join("%.1f %.1f" % point for point in points)))

    def marker(self, x, y, series, size=4.2, hollow=False):
        shape = SERIES[series][2]
        hollow = hollow or shape in ("ring", "hollow")
        css = "%s-%s" % ("h" if hollow else "f", series)
        edge = ' stroke-width="1.8"' if hollow else ""
        if shape in ("circle", "ring"):
            self.add('<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f"%s/>' % (css, x, y, size, edge))
            return
        corners = {
            "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
            "hollow": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
            "triangle": [(0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
            "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        }[shape]
        scale = 0.92 * size
        self.add('<path class="%s"%s d="M%sZ"/>' % (
            css, edge, "L".join("%.1f %.1f" % (x + scale * a, y + scale * b) for a, b in corners)))

    def legend(self, x, y, entries, size=12, gap=26):
        """Entries (series, label) on one line; the width of a letter is estimated."""
        for series, label in entries:
            self.path([(x, y), (x + 26, y)], series)
            self.marker(x + 13, y, series)
            self.text(x + 33, y + 4, label, size=size)
            x += 33 + 0.55 * size * len(label) + gap

    def style(self):
        def rules(dark):
            for name, (prop, *colours) in THEME.items():
                yield ".%s{%s:%s}" % (name, prop, colours[dark])
            for name, (*colours, _, _) in SERIES.items():
                colour = colours[dark]
                yield ".s-%s{stroke:%s}.f-%s{fill:%s}" % (name, colour, name, colour)
                yield ".h-%s{fill:%s;stroke:%s}" % (name, THEME["paper"][1 + dark], colour)
        return "%s@media (prefers-color-scheme: dark){%s}" % ("".join(rules(0)), "".join(rules(1)))

    def save(self, path):
        lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" '
                 'font-family=%s>' % (self.width, self.height, self.width, self.height, quoteattr(FONT)),
                 "<title>%s</title>" % escape(self.title), "<desc>%s</desc>" % escape(self.description),
                 "<style>%s</style>" % self.style(),
                 '<rect class="paper" width="100%" height="100%" rx="6"/>']
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(lines + self.parts) + "\n</svg>\n")


class Panel:
    """A rectangle of a picture with its own axes; values outside the axes are an error."""

    def __init__(self, picture, x, y, width, height, x_range, y_range, x_log=False):
        self.picture, self.x, self.y, self.width, self.height = picture, x, y, width, height
        self.x_range, self.y_range, self.x_log = x_range, y_range, x_log

    def place(self, x, y):
        def share(value, limits, log):
            low, high = limits
            if not low <= value <= high:
                raise ValueError("%g is outside %g to %g" % (value, low, high))
            return math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
        return (self.x + self.width * share(x, self.x_range, self.x_log),
                self.y + self.height * (1 - share(y, self.y_range, False)))

    def heading(self, text):
        self.picture.text(self.x, self.y - 10, text, size=13, bold=True)

    def y_axis(self, ticks, form="%g"):
        for tick in ticks:
            y = self.place(self.x_range[0], tick)[1]
            self.picture.line(self.x, y, self.x + self.width, y, "grid")
            label = form(tick) if callable(form) else form % tick
            self.picture.text(self.x - 7, y + 4, label, "quiet", 11, "end")

    def x_axis(self, ticks, form="%g", grid=False, title=""):
        bottom = self.y + self.height
        for tick in ticks:
            x = self.place(tick, self.y_range[0])[0]
            if grid:
                self.picture.line(x, self.y, x, bottom, "grid")
            else:
                self.picture.line(x, bottom, x, bottom + 4, "axis")
            label = form(tick) if callable(form) else form % tick
            self.picture.text(x, bottom + 17, label, "quiet", 11, "middle")
        if not grid:
            self.picture.line(self.x, bottom, self.x + self.width, bottom, "axis")
        if title:
            self.picture.text(self.x + self.width / 2, bottom + 35, title, "quiet", 12, "middle")

    def line(self, name, points):
        self.picture.path([self.place(x, y) for x, y in points], name)

    def markers(self, name, points, size=4.2, hollow=False):
        for x, y in points:
            self.picture.marker(*self.place(x, y), name, size, hollow)

    def label(self, name, x, y, text):
        """Text in the colour of a series, at a position in the panel."""
        self.picture.text(*self.place(x, y), text, "f-%s" % name)

    def series(self, name, points, intervals=(), size=4.2):
        """Points (x, y) connected by a line; intervals (x, low, high) as thin vertical lines."""
        for x, low, high in intervals:
            (left, top), (_, bottom) = self.place(x, high), self.place(x, low)
            self.picture.line(left, top, left, bottom, "s-%s" % name, 1)
        self.line(name, points)
        self.markers(name, points, size)
