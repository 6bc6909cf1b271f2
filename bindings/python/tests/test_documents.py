"""The probability of documents, prediction, generation, phrases, tokenization."""

import math

import numpy as np
import pytest

import psdvec


def test_tokenize():
    assert psdvec.tokenize("Hello, Wörld! It's 5") == ["hello", "wörld", "it's"]
    assert psdvec.tokenize("A b", case="keep") == ["A", "b"]
    assert psdvec.tokenize("") == []


def test_scores(model, documents):
    scores = model.score(documents[:20] + ["unknownword"])
    assert len(scores) == 21 and scores.total.words == 20 * 20 + 1
    assert scores[3].number == 4 and scores[3].beginning.split()[0] == documents[3].split()[0]
    assert sum(s.log_likelihood[0] for s in scores) == pytest.approx(scores.total.log_likelihood[0])
    assert scores[0].perplexity[0] == pytest.approx(
        math.exp(-scores[0].log_likelihood[0] / scores[0].known))
    assert scores[20].known == 0 and math.isnan(scores[20].perplexity[0])
    assert scores.total.log_likelihood[0] > scores.total.unigram[0]


def test_scores_of_token_lists_are_those_of_texts(model, documents):
    texts, lists = (model.score(d) for d in (documents[:5], [d.split() for d in documents[:5]]))
    assert list(texts) == list(lists)


@pytest.mark.parametrize("document", ["file", "blank-line", "none", "auto"])
def test_each_text_is_scored_alone_whatever_the_documents_of_training_were(document):
    texts = ["We saw New York, and a new car."] * 40
    trained = psdvec.train(texts, dim=3, min_count=1, document=document, case="keep")
    alone, both = trained.score(texts[:1]), trained.score([texts[0], "We saw York"])
    assert len(both) == 2 and both[0].log_likelihood == alone[0].log_likelihood
    assert both[0].known == 8 and both[1].known == 3


def test_two_models_classify(documents):
    a, b = (psdvec.train([d for d in documents if f"s{c}x" in d], dim=5, min_count=1) for c in "ab")
    scores = psdvec.score([a, b], ["saxa saxb saxa saxc", "sbxa sbxb sbxa sbxc"])
    assert scores[0].posterior[0] > .9 and scores[1].posterior[1] > .9


def test_next_words(model):
    near = model.next_words("saxa saxb saxa", topn=5)
    assert len(near) == 5 and near[0][1] >= near[4][1] > 0
    everything = model.next_words("saxa", topn=len(model))
    assert sum(p for _, p in everything) == pytest.approx(1)
    assert model.next_words([], topn=1)[0][0] == model.index_to_key[0]


def test_generation_depends_on_the_seed_alone(model):
    a, b, c = (model.generate("saxa", length=30, seed=seed) for seed in (1, 1, 2))
    assert a == b != c and len(a) == 30 and all(word in model for word in a)


def test_phrases(tmp_path):
    texts = ["we saw new york and old york and new paris"] * 30 + ["a new thing in york"] * 30
    count = psdvec.find_phrases(texts, tmp_path / "phrases.tsv", min_count=5, threshold=0.1)
    assert count > 0 and "new york" in (tmp_path / "phrases.tsv").read_text()
    counts = psdvec.count(texts, phrases=tmp_path / "phrases.tsv", min_count=1)
    assert any("new_york" in word for word in counts.index_to_key)


def test_pandas(model, documents):
    pandas = pytest.importorskip("pandas")
    frame = model.score(documents[:3]).to_pandas()
    assert list(frame.index) == [1, 2, 3] and "perplexity" in frame
    assert list(model.most_similar("saxa").to_pandas().columns) == ["word", "score"]
    assert len(psdvec.evaluate(model).to_pandas()) > 0
    column = pandas.Series(documents[:50] + [None])
    assert psdvec.count(column, min_count=1).info["documents"] == 50


def test_scipy(documents):
    pytest.importorskip("scipy")
    counts = psdvec.count(documents, min_count=1)
    matrix = counts.to_scipy()
    assert matrix.shape == (len(counts), len(counts)) and matrix.nnz == counts.info["bigrams"]
    i, j = counts.find("saxa"), counts.find("saxb")
    assert matrix[i, j] == counts["saxa", "saxb"] == counts[i, j]
    columns, values = counts.row("saxa")
    assert np.all(np.diff(columns.astype(int)) > 0)
    assert values.sum() == pytest.approx(matrix[i].sum())
