# The site that scripts/site.py makes from the documentation: links, anchors, navigation, search.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    ROOT=$(realpath "$HERE/../..")
    command -v python3 >/dev/null || skip "no python3"
    command -v cmark-gfm >/dev/null || skip "no cmark-gfm, which renders the pages"
}

# The site of the documentation, built once for all tests.
whole_site() {
    SITE=$BATS_FILE_TMPDIR/build/site
    [ -e "$SITE/index.html" ] || "$MAKE" -s -C "$ROOT" site BUILD="$BATS_FILE_TMPDIR/build" DEPS=no
}

# A repository of a few pages in small/, and site_of_it, which builds its site in small/out.
small_repository() {
    mkdir -p small/scripts small/include/psdvec small/docs/how-to small/docs/reference small/src
    cp "$ROOT/scripts/site.py" small/scripts
    cp -R "$ROOT/docs/site" small/docs
    echo '#define PSDVEC_VERSION "9.8.7"' >small/include/psdvec/psdvec.h
    echo 'int f(void) { return 1 < 2; }' >small/src/f.c
    printf '# psdvec\n\nSee [pages](docs/README.md), [f](src/f.c) and [the code](src).\n' >small/README.md
    printf '# All\n\n- [B](how-to/b.md)\n- [A](how-to/a.md)\n' >small/docs/README.md
    # shellcheck disable=SC2016
    printf '# Page A\n\n## Same `x`: y\n\n## Same x y\n\n[b](b.md#same-x-y-1)\n' >small/docs/how-to/a.md
    # shellcheck disable=SC2016
    printf '# Page B\n\n## Same `x`: y\n\n## Same x y\n\n[a](a.md#same-x-y)\n' >small/docs/how-to/b.md
}
site_of_it() { python3 small/scripts/site.py small/out; }
# The labels of the navigation of a page, one per line.
labels() { sed -n '/id="site-navigation"/,/<\/nav>/ s/.*<a [^>]*>\(.*\)<\/a>.*/\1/p' "$1"; }
# results PAGE QUERY: the addresses that a search from a page of the site finds, as shown by the
# browser.
results() {
    chromium_shows "file://$SITE/$1?q=$2" | sed -n 's/.*<div id="site-results"//; /<a href=/p' |
        sed -n '/<b>/p' | grep -o '<a href="[^"]*"><b>' | sed 's/.*="\(.*\)"><b>/\1/'
}

@test "every link and anchor of the site is valid, and nothing is loaded from elsewhere" {
    whole_site
    python3 - "$SITE" <<'PYTHON'
import os, sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = [], [], []
        self.feed(path.read_text(encoding="utf-8"))
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag == "a": self.links.append(attributes["href"])
        elif "src" in attributes or "href" in attributes: self.loaded.append(attributes.get("src") or attributes["href"])
site = Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in site.rglob("*.html")}
bad, checked = [], 0
for path, page in pages.items():
    if len(set(page.ids)) != len(page.ids): bad.append("%s: an id occurs twice" % path)
    for url in page.links + page.loaded:
        parts = urlsplit(url)
        if parts.scheme:
            if url in page.loaded and url != "data:,": bad.append("%s loads %s" % (path, url))
            continue
        target = Path(os.path.normpath(str(path.parent / unquote(parts.path)))) if parts.path else path
        checked += 1
        if site not in target.parents or not target.is_file() or target.suffix == ".md": bad.append("%s: %s" % (path, url))
        elif parts.fragment and unquote(parts.fragment) not in pages[target].ids: bad.append("%s: %s" % (path, url))
print("\n".join(bad))
assert not bad and len(pages) > 40 and checked > 2000, (len(pages), checked)
PYTHON
}

@test "every page of docs is in the navigation" {
    whole_site
    labels "$SITE/docs/reference/options.html" >listed
    for source in "$ROOT"/docs/*/*.md; do
        title=$(sed -n 's/^# //p' "$source" | head -n 1 | tr -d '`')
        grep -qxF -- "$title" listed || { echo "$source is missing"; return 1; }
    done
    grep -qxF 'psdvec in a notebook' listed
    for heading in 'How-to guides' Reference Explanation Project; do
        grep -qF "<h2>$heading</h2>" "$SITE/index.html"
    done
}

@test "the search index has every section of every page, with its text" {
    whole_site
    (echo '['; sed -e '1,2d' -e '$d' "$SITE/search-index.js"; echo ']') >index.json
    python3 - <<'PYTHON'
import json
rows = json.load(open("index.json", encoding="utf-8"))
assert len({tuple(row[:2]) for row in rows}) == len(rows) > 300, len(rows)
wanted = ["docs/reference/counting.html", "distance-weights", "Counting", "Distance weights"]
found = [row[4] for row in rows if row[:4] == wanted]
assert len(found) == 1 and "least common multiple" in found[0], found
PYTHON
}

@test "search finds a page, in a browser and without a server" {
    whole_site
    rendered "$SITE/index.html" >shown.html # or skip
    results index.html glossary >found
    [ "$(head -n 1 found)" = ./docs/reference/glossary.html#glossary ]
    results docs/how-to/train.html harmonic%20weight >found
    grep -qxF '../../docs/reference/counting.html#distance-weights' found
    results index.html qqqzzz >found
    [ ! -s found ]
}

@test "a new page needs no registration, and listed pages come in the order of docs/README.md" {
    small_repository
    site_of_it
    labels small/out/index.html >printed
    printf '%s\n' Overview 'All pages' 'Page B' 'Page A' >wanted
    diff -u wanted printed
    echo '# About C' >small/docs/how-to/c.md
    echo '# In D' >small/docs/reference/d.md
    mkdir small/docs/later
    echo '# Other' >small/docs/later/e.md
    site_of_it
    labels small/out/docs/later/e.html >printed
    printf '%s\n' Overview 'All pages' 'Page B' 'Page A' 'About C' 'In D' Other >wanted
    diff -u wanted printed
    grep -q 'psdvec 9.8.7' small/out/docs/later/e.html
}

@test "links to Markdown become links to pages, to sources a page with the source, to folders plain text" {
    small_repository
    site_of_it
    grep -qF 'See <a href="docs/index.html">pages</a>, <a href="src/f.c.html">f</a> and the code.' small/out/index.html
    grep -qF 'return 1 &lt; 2; }' small/out/src/f.c.html
    # Anchors as GitHub makes them: without punctuation, and numbered if they occur twice.
    grep -qF '<a href="b.html#same-x-y-1">' small/out/docs/how-to/a.html
    grep -qF '<h2 id="same-x-y">Same <code class="word">x</code>: y' small/out/docs/how-to/b.html
    grep -qF '<h2 id="same-x-y-1">Same x y' small/out/docs/how-to/b.html
}

@test "a notebook is a page with its text, code and results" {
    small_repository
    cat >small/docs/how-to/n.ipynb <<'END'
{"cells": [{"cell_type": "markdown", "source": ["# A notebook\n", "\n", "See [A](a.md#same-x-y)."]},
 {"cell_type": "code", "source": ["f(1 < 2)"], "outputs": [
  {"output_type": "stream", "name": "stdout", "text": ["1 < 2\n"]},
  {"output_type": "execute_result", "data": {"text/plain": ["unused"], "text/html": ["<table>\n\n<tr><td>x</td></tr></table>"]}}]}]}
END
    echo '[n](n.ipynb)' >>small/docs/how-to/b.md
    site_of_it
    labels small/out/index.html | grep -qxF 'A notebook'
    grep -qF '<a href="n.html">n</a>' small/out/docs/how-to/b.html
    page=small/out/docs/how-to/n.html
    grep -qF '<a href="a.html#same-x-y">A</a>' $page
    grep -qF 'f(1 &lt; 2)' $page
    grep -qF '1 &lt; 2' $page
    grep -qF '<tr><td>x</td></tr>' $page
    run ! grep -F unused $page
}

@test "a broken link, a page without a title and a folder that is not a site are errors" {
    small_repository
    echo '[x](a.md#nowhere)' >>small/docs/how-to/b.md
    run ! site_of_it
    [[ $output == *"docs/how-to/b.md: the link a.md#nowhere leads to no heading of docs/how-to/a.md"* ]]
    small_repository
    echo '[x](../a.md)' >>small/docs/how-to/b.md
    run ! site_of_it
    [[ $output == *"docs/how-to/b.md: the link ../a.md leads to no file of the repository"* ]]
    small_repository
    echo 'text' >small/docs/how-to/b.md
    run ! site_of_it
    [[ $output == *"docs/how-to/b.md: there is no heading of level 1"* ]]
    small_repository
    run ! python3 small/scripts/site.py small
    [[ $output == *"small is neither empty nor a site"* ]]
    [ -e small/README.md ]
}

@test "without cmark-gfm, make site names the package" {
    mkdir bin
    for command in sh sed awk env cat grep uname id dirname; do ln -s "$(command -v $command)" bin; done
    ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
    make=$(command -v "$MAKE")
    run ! env PATH="$PWD/bin" "$make" -s -C "$ROOT" site BUILD="$PWD/build" DEPS=no
    [[ $output == *"the command cmark-gfm (needed for 'site')"* ]]
    [[ $output == *"site.py: cmark-gfm is not installed"* ]]
}
