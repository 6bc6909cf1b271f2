"""Maps of words."""

import json

import numpy as np
import pytest

import psdvec


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Three groups of words, with vectors around three directions."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("map") / "blobs.vec"
    centres = rng.normal(size=(3, 8))
    with open(path, "w", encoding="utf-8") as file:
        file.write("150 8\n")
        for k in range(150):
            vector = centres[k % 3] + 0.1 * rng.normal(size=8)
            file.write(f"w{k} " + " ".join(f"{x:.5f}" for x in vector) + "\n")
    return psdvec.load(path)


def test_planted_clusters_are_found(model):
    found = model.map()
    assert found.points.shape == (150, 2) and np.isfinite(found.points).all()
    assert found.cluster_count == 3
    for group in range(3):
        clusters = found.clusters[group::3]
        assert len(set(clusters[clusters >= 0])) == 1
    assert [len(found.cluster_words(c, 4)) for c in range(3)] == [4, 4, 4]
    assert {label.word for label in found.labels} <= set(found.words)
    with pytest.raises(IndexError):
        found.cluster_words(3)


def test_the_seed_decides_and_the_threads_do_not(model):
    first = model.map(seed=1, threads=1).points
    assert np.array_equal(first, model.map(seed=1, threads=2).points)
    assert not np.array_equal(first, model.map(seed=2).points)


def test_some_words_can_be_mapped(model):
    assert model.map(["w3", "w1", 7]).words == ["w1", "w3", "w7"]
    near = model.map(around="w0", nearest=20)
    assert "w0" in near.words and len(near) == 21
    with pytest.raises(TypeError):
        model.map(["w1"], around="w0")
    with pytest.raises(KeyError):
        model.map(["no such word"])
    with pytest.raises(ValueError):
        model.map([])


def test_maps_can_be_saved(model, tmp_path):
    found = model.map()
    for name, beginning in (("m.svg", b"<svg"), ("m.png", b"\x89PNG"), ("m.tsv", b"word\tx\ty\tcluster")):
        found.save(tmp_path / name, width=400, height=300)
        assert (tmp_path / name).read_bytes().startswith(beginning)
    rows = (tmp_path / "m.tsv").read_text().splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == found.words
    assert np.array_equal(np.array([row.split("\t")[1:3] for row in rows], np.float32), found.points)
    with pytest.raises(psdvec.OptionError):
        found.save(tmp_path / "m.gif")


def test_tables_can_be_read(model, tmp_path):
    found = model.map()
    found.save(tmp_path / "m.tsv")
    again = model.read_map(tmp_path / "m.tsv")
    assert again.words == found.words and again.labels == found.labels
    assert np.array_equal(again.points, found.points) and np.array_equal(again.clusters, found.clusters)
    (tmp_path / "own.tsv").write_text("word\tx\ty\nw5\t1\t2\nw3\t-1\t0.5\n")
    assert model.read_map(tmp_path / "own.tsv").points.tolist() == [[-1, 0.5], [1, 2]]
    (tmp_path / "own.tsv").write_text("word\tx\nw5\t1\n")
    with pytest.raises(psdvec.FormatError, match="no column 'y'"):
        model.read_map(tmp_path / "own.tsv")


def test_a_map_is_saved_as_a_page(model, tmp_path):
    found = model.map()
    found.save(tmp_path / "map.html")
    page = (tmp_path / "map.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["map"]["words"] == found.words and data["map"]["clusters"] == found.cluster_count
    assert max(data["map"]["x"]) == 65535
