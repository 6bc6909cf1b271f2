#!/usr/bin/env python3
"""Makes a static site from the Markdown of the repository.

    scripts/site.py FOLDER

The pages are README.md and the other Markdown files of the top folder, the Markdown files and Jupyter
notebooks in docs, and every file of the repository that one of these links to. A page has the path of
its source, with .html in place of .md or .ipynb; README.md becomes index.html. The template, the style sheet and the script
are in docs/site.

The navigation has a section for each folder of docs. Pages are in the order in which docs/README.md
lists them; pages that it does not list come last, by title. Headings have the anchors that GitHub gives
them. search-index.js has the text of every section, so that search works from file://.

FOLDER is written anew: a folder that exists must be empty or an earlier site. A link without a target is
an error. Needs Python 3.6 and cmark-gfm.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from string import Template
from urllib.parse import quote, unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "docs" / "site"
INDEX = "search-index.js"
KINDS = {"tutorial": "Tutorials", "how-to": "How-to guides", "reference": "Reference", "explanation": "Explanation"}
COPIED = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".csv"}  # linked files that a browser shows
PAGES = {".md", ".ipynb"}
VOID = {"br", "hr", "img", "input"}


class SiteError(Exception):
    pass


def address(source):
    """The path in the site of a file of the repository; both relative to their top folders."""
    if source.suffix in COPIED:
        return source
    if source.name == "README.md":
        return source.with_name("index.html")
    return source.with_suffix(".html") if source.suffix in PAGES else source.with_name(source.name + ".html")


def link(target, page, anchor=""):
    """The relative URL of a file of the site from a page of the site."""
    path = os.path.relpath(str(target), str(page.parent)).replace(os.sep, "/")
    return quote(path) + ("#" + anchor if anchor else "")


def markdown_of(notebook):
    """A notebook as Markdown: its text, its code, and the stored results."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append("```python\n%s\n```" % source)
        for output in cell["outputs"]:
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "text/html" in data:  # without empty lines, which end HTML in Markdown
                parts.append(re.sub(r"\n\s*\n", "\n", "".join(data["text/html"])))
            else:
                parts.append("```text\n%s\n```" % "".join(data.get("text/plain", "")).rstrip("\n"))
    return "\n\n".join(parts) + "\n"


class Rewriter(HTMLParser):
    """Processes the HTML of one Markdown file: adds anchors to headings, rewrites links, makes
    tables and pictures scroll, and collects the headings and the text of each section."""

    def __init__(self, source, site):
        super().__init__(convert_charrefs=False)
        self.source, self.site = source, site
        self.out, self.title, self.anchors = [], "", {}
        self.sections = [{"level": 1, "anchor": "", "heading": "", "text": []}]
        self.heading = None  # [tag, HTML, text] of the open heading
        self.unlinked = []  # for each open <a>: whether it was omitted

    def emit(self, text):
        (self.out if self.heading is None else self.heading[1]).append(text)

    def text(self, text):
        (self.sections[-1]["text"] if self.heading is None else self.heading[2]).append(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        raw = self.get_starttag_text()
        if re.fullmatch("h[1-6]", tag):
            self.heading = [tag, [], []]
            return
        if tag == "a":
            target = self.site.resolve(self.source, attributes.get("href", ""))
            self.unlinked.append(target is None)
            if target is not None:
                self.emit('<a href="%s">' % html.escape(target))
            return
        if tag == "img":
            attributes["src"] = self.site.resolve(self.source, attributes["src"])
            raw = ('<span class="picture" tabindex="0"><img%s></span>'
                   % "".join(' %s="%s"' % (k, html.escape(v or "")) for k, v in attributes.items()))
        if tag == "table":
            raw = '<div class="scroll" tabindex="0">' + raw
        self.emit(raw)
        if tag not in VOID:
            self.text(" " if tag not in ("code", "em", "strong", "span") else "")

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        if self.heading is not None and tag == self.heading[0]:
            self.end_heading()
        elif tag == "a":
            self.emit("" if self.unlinked.pop() else "</a>")
        else:
            self.emit("</%s>" % tag + ("</div>" if tag == "table" else ""))
            if tag not in ("code", "em", "strong", "span"):
                self.text(" ")

    def end_heading(self):
        tag, content, words = self.heading
        self.heading = None
        words = html.unescape("".join(words)).strip()
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        seen = self.anchors.get(anchor, 0)
        self.anchors[anchor] = seen + 1
        if seen:
            anchor += "-%d" % seen
            self.anchors[anchor] = 1
        level = int(tag[1])
        if level == 1 and not self.title:
            self.title = words
            self.sections[0].update(anchor=anchor, heading=words)
        else:
            self.sections.append({"level": level, "anchor": anchor, "heading": words, "text": []})
        name = html.escape(anchor)
        self.emit('<%s id="%s">%s<a class="anchor" href="#%s" aria-label="Link to this section"></a></%s>'
                  % (tag, name, "".join(content), name, tag))

    def handle_data(self, data):
        self.emit(data)
        self.text(data)

    def handle_entityref(self, name):
        self.handle_data("&%s;" % name)

    def handle_charref(self, name):
        self.handle_data("&#%s;" % name)


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.template = Template((ASSETS / "page.html").read_text(encoding="utf-8"))
        self.version = re.search(r'#define PSDVEC_VERSION "(.*)"',
                                 (ROOT / "include/psdvec/psdvec.h").read_text(encoding="utf-8")).group(1)
        self.pages = {}  # source: Rewriter
        self.files = set()  # linked files that are not Markdown
        self.fragments = []  # (source, link, target, anchor), checked when all pages are known

    def resolve(self, source, url):
        """The URL in the site for a link of a source file; None for a folder of the repository."""
        parts = urlsplit(url)
        if parts.scheme or parts.netloc:
            return url
        here = address(source)
        if not parts.path:
            target = source
        else:
            path = os.path.normpath(str(source.parent / unquote(parts.path)))
            target = Path(path)
            if path.startswith("..") or not (ROOT / target).exists():
                raise SiteError("%s: the link %s leads to no file of the repository" % (source, url))
            if (ROOT / target).is_dir():
                return None
            if target.suffix in PAGES:
                self.add(target)
            else:
                self.files.add(target)
        if parts.fragment:
            self.fragments.append((source, url, target, parts.fragment))
        return "#" + parts.fragment if target == source else link(address(target), here, parts.fragment)

    def add(self, source):
        """Reads a Markdown file or a notebook, and those that it links to."""
        if source in self.pages:
            return
        page = self.pages[source] = Rewriter(source, self)
        command = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"]
        text = (ROOT / source).read_text(encoding="utf-8")
        if source.suffix == ".ipynb":
            text = markdown_of(json.loads(text))
        try:
            body = subprocess.run(command, input=text.encode("utf-8"), stdout=subprocess.PIPE,
                                  check=True).stdout.decode("utf-8")
        except FileNotFoundError:
            raise SiteError("cmark-gfm is not installed; install it (Debian, Ubuntu: apt-get install cmark-gfm)") from None
        except subprocess.CalledProcessError as error:
            raise SiteError("cmark-gfm failed on %s with status %d" % (source, error.returncode)) from None
        page.feed(re.sub(r"<code>([^<\s]{1,24})</code>", r'<code class="word">\1</code>', body))
        page.close()
        if not page.title:
            raise SiteError("%s: there is no heading of level 1, which is the title of the page" % source)

    def check_fragments(self):
        for source, url, target, anchor in self.fragments:
            page = self.pages.get(target)
            if page is not None and unquote(anchor) not in {s["anchor"] for s in page.sections}:
                raise SiteError("%s: the link %s leads to no heading of %s" % (source, url, target))

    def navigation(self):
        """Sections (title, [(source, label)]) of the navigation."""
        docs = Path("docs")
        listed = re.findall(r"\]\(([^)#]+\.(?:md|ipynb))", (ROOT / docs / "README.md").read_text(encoding="utf-8"))
        order = {os.path.normpath(path): rank for rank, path in enumerate(listed)}  # the last mention counts
        folders = {}
        for source, page in self.pages.items():
            if len(source.parts) == 3 and source.parts[0] == "docs":
                rank = order.get("/".join(source.parts[1:]), len(listed))
                folders.setdefault(source.parts[1], []).append((rank, page.title, source))
        names = [kind for kind in KINDS if kind in folders] + sorted(set(folders) - set(KINDS))
        sections = [("", [(Path("README.md"), "Overview"), (docs / "README.md", "All pages")])]
        for name in names:
            sections.append((KINDS.get(name, name.capitalize()), [(s, title) for _, title, s in sorted(folders[name])]))
        project = [(p.title, s) for s, p in self.pages.items() if len(s.parts) == 1 and s.name != "README.md"]
        sections.append(("Project", [(s, title) for title, s in sorted(project)]))
        return sections

    def write_page(self, source, title, body, contents=""):
        here = address(source)
        parts = []
        for heading, entries in self.sections:
            if heading:
                parts.append("<h2>%s</h2>" % html.escape(heading))
            parts.append("<ul>")
            for target, label in entries:
                current = ' aria-current="page"' if target == source else ""
                parts.append('<li><a href="%s"%s>%s</a></li>' % (link(address(target), here), current, html.escape(label)))
            parts.append("</ul>")
        text = self.template.substitute(
            title=html.escape(title if title == "psdvec" else title + " - psdvec"),
            root=link(Path("."), here) + "/", navigation="\n".join(parts), contents=contents, body=body,
            version=html.escape(self.version), source=html.escape(str(source)))
        path = self.folder / here
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self):
        docs = sorted(path for path in (ROOT / "docs").glob("**/*") if path.suffix in PAGES)
        for source in docs + sorted(ROOT.glob("*.md")):
            self.add(source.relative_to(ROOT))
        self.check_fragments()
        self.sections = self.navigation()

    def write_index(self):
        entries = []
        for source, page in self.pages.items():
            for section in page.sections:
                words = " ".join(html.unescape("".join(section["text"])).split())
                entries.append([str(address(source)).replace(os.sep, "/"), section["anchor"], page.title,
                                section["heading"], words])
        rows = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        (self.folder / INDEX).write_text("// Address, anchor, page, heading, text\nsearchIndex = [\n%s\n];\n" % rows,
                                         encoding="utf-8")

    def write(self):
        if self.folder.exists():
            if not (self.folder / INDEX).exists() and any(self.folder.iterdir()):
                raise SiteError("%s is neither empty nor a site; choose another folder" % self.folder)
            shutil.rmtree(str(self.folder))
        self.folder.mkdir(parents=True)
        self.write_index()  # first: it marks the folder as a site
        for source, page in self.pages.items():
            contents = "".join('<li><a href="#%s">%s</a></li>\n' % (html.escape(s["anchor"]), html.escape(s["heading"]))
                               for s in page.sections if s["level"] == 2)
            self.write_page(source, page.title, "".join(page.out), contents)
        for source in sorted(self.files):
            if source.suffix in COPIED:
                target = self.folder / source
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(ROOT / source), str(target))
            else:
                text = (ROOT / source).read_text(encoding="utf-8", errors="replace")
                self.write_page(source, str(source), '<h1 class="file">%s</h1>\n<pre class="file"><code>%s</code></pre>'
                                % (html.escape(str(source)), html.escape(text)))
        for asset in ("site.css", "site.js"):
            shutil.copyfile(str(ASSETS / asset), str(self.folder / asset))


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    folder = Path(arguments[0])
    try:
        site = Site(folder)
        site.read()
        site.write()
    except (SiteError, OSError) as error:
        sys.exit("site.py: %s" % error)
    print("%d pages in %s" % (len(site.pages), folder / "index.html"))


if __name__ == "__main__":
    main(sys.argv[1:])
