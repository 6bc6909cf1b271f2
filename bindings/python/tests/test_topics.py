"""Topics."""

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
