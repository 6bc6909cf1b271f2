"""Topics."""

import json
import pickle

import numpy as np
import pytest

import psdvec

SUBJECTS = ["ship harbour sail captain anchor sea wave port".split(),
            "oven flour bread sugar butter cake dough salt".split()]
SHARED = "the of and to in a is".split()


@pytest.fixture(scope="module")
def documents():
    draw = np.random.default_rng(3)
    return [[str(w) for _ in range(15) for w in (draw.choice(SHARED), draw.choice(SUBJECTS[d % 2]))]
            for d in range(300)]


@pytest.fixture(scope="module")
def model(documents):
    return psdvec.train(documents, dim=6, min_count=1)


@pytest.fixture(scope="module")
def topics(model, documents):
    return psdvec.learn_topics(model, documents, topics=2)


def test_finds_the_subjects(topics, documents):
    found = [{w.word for w in topics.words(k, 8)} for k in range(2)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, SUBJECTS))
    first = 0 if "ship" in found[0] else 1
    main = topics.mixtures.argmax(axis=1)
    assert (main == [first if d % 2 == 0 else 1 - first for d in range(len(documents))]).all()
    assert topics.documents(first, 1)[0].document % 2 == 0
    assert topics.info["known_tokens"] == 300 * 30
    assert sorted(topics.vocabulary) == sorted({w for d in documents for w in d})
    assert topics.vectors.shape == (2, 6)
    with pytest.raises(ValueError):
        topics.vectors[0, 0] = 1
    assert "2 topics of 300 documents" in repr(topics)
    assert "<table>" in topics._repr_html_()


def test_preset_of_topicvec(model, documents):
    with pytest.warns(psdvec.PsdvecWarning, match="the bound fell"):
        topics = psdvec.learn_topics(model, documents, preset="topicvec", topics=3, iterations=30)
    assert topics.info["null_topic"] and not topics.vectors[0].any()
    settings = topics.info["settings"]["topics"]
    assert settings["preset"] == "topicvec" and settings["radius"] == 7
    assert len(topics.vocabulary) == len(model)
    assert topics.probabilities(1).sum() == pytest.approx(1, abs=1e-5)
    other = psdvec.learn_topics(model, documents, preset="topicvec", topics=3, iterations=2, seed=1)
    assert not np.allclose(topics.vectors, other.vectors)
    with pytest.raises(psdvec.OptionError, match="steps=gradient"):
        psdvec.learn_topics(model, documents, rate=1)


def test_probabilities_are_a_view(topics):
    rows = np.array([topics.probabilities(k) for k in range(2)])
    assert rows.shape == (2, len(topics.vocabulary))
    assert rows.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
    best = topics.words(0, 1)[0]
    assert rows[0, topics.vocabulary.index(best.word)] == pytest.approx(best.probability)
    with pytest.raises(ValueError):
        topics.probabilities(0)[0] = 1
    with pytest.raises(IndexError):
        topics.probabilities(2)


def test_other_documents(topics):
    mixtures = topics.transform(["the captain and the ship", "sugar and butter", "", "zzz"])
    assert mixtures.shape == (4, 2)
    assert mixtures[0].argmax() != mixtures[1].argmax()
    assert mixtures[2] == pytest.approx([.5, .5]) and mixtures[3] == pytest.approx([.5, .5])
    lists = topics.transform([["the", "captain", "and", "the", "ship"]])
    assert lists[0] == pytest.approx(mixtures[0])
    upper = topics.transform(["CAPTAIN SHIP"], case="keep")
    assert upper[0] == pytest.approx([.5, .5])


def test_quality(topics, documents):
    quality = topics.evaluate(documents, words=5)
    assert quality.diversity == 1 and quality.coherence > .3
    assert quality.documents == 300 and quality.known == 9000
    assert -np.log(quality.perplexity) - .3 < quality.bound < -np.log(14)
    assert 14.5 < quality.perplexity < 16  # 2 sqrt(7 * 8) = 14.97 for known topics
    with pytest.raises(psdvec.OptionError):
        topics.evaluate(documents, words=1)


def test_the_same_for_files_and_lists(model, documents, topics, tmp_path):
    path = tmp_path / "documents.txt"
    path.write_text("\n".join(map(" ".join, documents)) + "\n")
    other = psdvec.learn_topics(model, path, tmp_path / "topics.safetensors", topics=2, threads=1)
    assert (other.mixtures == topics.mixtures).all()
    again = psdvec.load_topics(tmp_path / "topics.safetensors")
    assert (again.vectors == topics.vectors).all()
    again.verify()


def test_views_outlive_topics(model, documents):
    view = psdvec.learn_topics(model, documents, topics=2).mixtures
    assert view.sum() == pytest.approx(len(documents), rel=1e-4)


def test_how_topics_relate(model, documents):
    four = psdvec.learn_topics(model, documents, topics=4)
    p = np.array([four.probabilities(k) for k in range(4)], float)
    expected = np.sqrt(((np.sqrt(p)[:, None] - np.sqrt(p)[None]) ** 2).sum(axis=2) / 2)
    assert four.distances() == pytest.approx(expected, abs=1e-5)
    places = four.map()
    assert places.shape == (4, 2) and places.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    tree = four.tree()
    assert tree.shape == (3, 4) and (np.diff(tree[:, 2]) >= 0).all() and tree[-1, 3] == 4
    # A tree of scipy; cutting it gives the same groups.
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    assert hierarchy.is_valid_linkage(tree)
    for groups in (1, 2, 3, 4):
        own = four.groups(groups)
        assert sorted(k for group in own for k in group) == [0, 1, 2, 3]
        cut = hierarchy.fcluster(tree, groups, "maxclust")
        if groups <= 2 or len(set(cut)) == groups:  # scipy does not separate equal heights
            assert {frozenset(g) for g in own} == {
                frozenset(np.flatnonzero(cut == c)) for c in set(cut)}
    # Topics of the same subject are together.
    for group in four.groups(2):
        words = {w.word for w in four.group_words(group, 8)}
        assert words in (set(SUBJECTS[0]), set(SUBJECTS[1]))
    with pytest.raises(psdvec.OptionError):
        four.groups(5)


def test_nearest_words_need_the_model(model, topics, documents):
    near = topics.nearest(model, 4)
    for k in range(2):
        vector = topics.vectors[k] / np.linalg.norm(topics.vectors[k])
        cosines = {w: model.generative_vector(w) @ vector
                   / np.linalg.norm(model.generative_vector(w)) for w in topics.vocabulary}
        best = sorted(cosines, key=lambda w: -cosines[w])[:4]
        assert [n.word for n in near[k]] == best
        assert near[k][0].similarity == pytest.approx(cosines[best[0]], abs=1e-5)
    other = psdvec.train(documents, dim=5, min_count=1)
    with pytest.raises(psdvec.FormatError, match="not the model"):
        topics.nearest(other)


def test_page(model, topics, tmp_path):
    path = tmp_path / "topics.html"
    topics.page(path, model, words=5, documents=2)
    page = path.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["topics.html"]
    assert "\x01" not in page and "\x02" not in page and "src=" not in page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert json.loads(data) == topics.describe(model, 5, 2)
    assert len(json.loads(data)["topics"][0]["nearest"]) == 5
    assert all(topic["nearest"] is None for topic in topics.describe()["topics"])
    assert "ship" in page.split('<pre id="text">')[1].split("</pre>")[0]


def test_a_page_escapes_markup(tmp_path):
    words = ["</script><b>", "<!--", "&lt;", "a\x02b"]
    texts = [words + ["plain"] for _ in range(6)]
    model = psdvec.train(texts, dim=2, min_count=1)
    psdvec.learn_topics(model, texts, topics=2).page(tmp_path / "topics.html")
    page = (tmp_path / "topics.html").read_text(encoding="utf-8")
    assert page.count("</script") == 3 and "<b>" not in page.split('<pre id="text">')[1].split(
        "</pre>")[0]
    with pytest.raises(OSError):
        psdvec.learn_topics(model, texts, topics=2).page(tmp_path / "none" / "topics.html")


def test_errors(model, topics, tmp_path):
    with pytest.raises(psdvec.OptionError, match="topics"):
        psdvec.learn_topics(model, ["ship sea", "bread oven"], topics=5)
    with pytest.raises(psdvec.NotFoundError):
        psdvec.load_topics(tmp_path / "nothing")
    with pytest.raises(IndexError):
        topics.words(2)


def test_labels_dates_and_names(model, documents):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": [" ".join(d) for d in documents]})
    frame["kind"] = ["sea", "oven", None] * 100
    frame["when"] = pandas.to_datetime(["1999-12-31", None, "2001-02-03"] * 100)
    frame.loc[7, "text"] = None  # is left out, with its label
    frame.loc[8, "text"] = ""    # stays, without a label
    plain = psdvec.learn_topics(model, frame["text"], topics=2)
    found = psdvec.learn_topics(model, frame["text"], topics=2, labels=frame["kind"],
                                dates=frame["when"], names=range(300))
    kept = [d for d in range(300) if d != 7]
    assert found.labels == [["sea", "oven", None][d % 3] for d in kept]
    assert found.names == [str(d) for d in kept]
    assert found.dates == [["1999-12-31 00:00:00", None, "2001-02-03 00:00:00"][d % 3] for d in kept]
    assert (found.mixtures == plain.mixtures).all()
    assert plain.labels == [None] * 299 and plain.classes == [None, None]
    assert found.info["labelled"] == len([d for d in kept if d % 3 < 2])
    best = found.documents(0, 1)[0]
    assert (best.label, best.date, best.name) == tuple(
        values[best.document] for values in (found.labels, found.dates, found.names))
    lists = psdvec.learn_topics(model, documents, topics=2, labels=["a\tb\n c"] * 300, dates=[1999.0] * 300)
    assert lists.labels[0] == "a b c" and lists.dates[0] == "1999"


def test_topics_of_each_label(model, documents):
    labels = ["sea" if d % 2 == 0 else "oven" for d in range(300)]
    found = psdvec.learn_topics(model, documents, labels=labels, by="label", topics=2)
    assert sorted(found.classes) == ["oven", "oven", "sea", "sea"]
    evidence = found.transform(documents, evidence=True)
    by_word = np.stack([found.probabilities(k) for k in range(len(found))], axis=1)
    by_word /= by_word.sum(axis=1, keepdims=True)
    place = {word: w for w, word in enumerate(found.vocabulary)}
    for words, row in zip(documents[:20], evidence):
        known = [place[word] for word in words if word in place]
        assert np.allclose(by_word[known].sum(axis=0), row, rtol=1e-4, atol=1e-5)
    counts = found.transform(documents, counts=True)
    assert counts.sum(axis=1) == pytest.approx([30] * 300, rel=1e-3)
    sums = np.array([counts[:, [k for k, c in enumerate(found.classes) if c == name]].sum(axis=1)
                     for name in ("oven", "sea")])
    assert (sums.argmax(axis=0) == [0 if label == "oven" else 1 for label in labels]).all()
    again = psdvec.learn_topics(model, documents, labels=labels, by="label", topics=3, null_topic=True)
    assert len(again) == 5 and again.classes.count(None) == 1 and again.info["null_topic"]
    with pytest.raises(ValueError, match="fewer labels"):
        psdvec.learn_topics(model, documents, labels=labels[:-1])
    with pytest.raises(ValueError, match="more labels"):
        psdvec.learn_topics(model, documents, labels=labels + ["sea"])
    with pytest.raises(TypeError, match="for files, name the columns"):
        psdvec.learn_topics(model, __file__, labels=labels)
    with pytest.raises(psdvec.PsdvecError, match="no document has a label"):
        psdvec.learn_topics(model, documents, by="label")
