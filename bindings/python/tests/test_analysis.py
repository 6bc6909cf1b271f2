"""Comparisons, explanations, residuals, simulation and other analyses."""

import math

import numpy as np
import pytest

import psdvec


@pytest.fixture(scope="module")
def counts(documents, tmp_path_factory):
    path = tmp_path_factory.mktemp("counts") / "c.safetensors"
    return psdvec.count(documents, path, window=5, min_count=1, progress=False)


@pytest.fixture(scope="module")
def counted(counts):
    return psdvec.train(counts, dim=20, progress=False)


def test_why_two_words_are_similar(counted, counts):
    why = counted.compare("saxa", "saxb")
    assert why.cosine == pytest.approx(counted.similarity("saxa", "saxb"), abs=1e-6)
    assert why.product == pytest.approx(counted.product("saxa", "saxb"))
    assert all(c.word.startswith("sa") for c in why.contexts[:3]) and why.explanation is None
    assert len(why.dimensions) == 5 and why.dimensions[0].words
    assert abs(why.dimensions[0].part) >= abs(why.dimensions[4].part)
    more = counted.compare("saxa", "saxb", counts=counts, contexts=3)
    assert more.explanation["same_counts"] is True and len(more.contexts) == 3
    assert more.explanation["count_ij"] == pytest.approx(counts["saxa", "saxb"])
    assert all(c.count_first > 0 < c.count_second for c in more.contexts)
    assert "saxa" in why._repr_html_()


def test_explaining_a_text(counted, counts):
    scores = counted.explain("Saxa saxb, nosuchword saxa")
    assert [s.word for s in scores] == ["saxa", "saxb", "nosuchword", "saxa"]
    assert [s.known for s in scores] == [True, True, False, True]
    assert math.isnan(scores[2].log_probability) and not scores[0].influences
    assert {i.word for i in scores[3].influences} == {"saxa", "saxb"}
    total = sum(s.log_probability for s in scores if s.known)
    assert scores.total.log_likelihood[0] == pytest.approx(total)
    assert any(i.residual for s in counted.explain("saxa saxb", counts=counts)
               for i in s.influences)
    assert "not in the model" in scores._repr_html_()


def test_scores_of_words_and_text_options(counted):
    scores = counted.score(["Saxa saxb", "saxc"], per_word=True)
    assert [w.word for w in scores.words] == ["saxa", "saxb", "saxc"]
    assert scores.words[2].document == 2 and scores.temperature == [pytest.approx(1)]
    assert counted.score(["Saxa saxb"], case="keep")[0].known == 1
    assert counted.score(["saxa saxb"]).words is None
    with pytest.raises(psdvec.OptionError, match="lists of tokens"):
        counted.score([["saxa"]], tokenizer="icu")


def test_the_temperature(counted, counts, documents, tmp_path):
    fit = counted.fit_temperature(documents[:100], most_words=500)
    assert 0 < fit.temperature and fit.after <= fit.before and math.isnan(fit.temperature_counts)
    assert fit.model.info["fit"] and not counted.info["fit"]
    assert fit.model.score(documents[:3]).temperature == [pytest.approx(fit.temperature)]
    fit = psdvec.fit_temperature(counted, documents[:100], tmp_path / "f.safetensors",
                                 counts=counts, most_words=500)
    assert fit.temperature_counts > 0 and (tmp_path / "f.safetensors").exists()


def test_bigrams(counted, documents, tmp_path):
    pairs = psdvec.count(documents, tmp_path / "pairs.safetensors", window=1, min_count=1)
    fit = counted.fit_temperature(documents[:100], bigrams=pairs, most_words=500)
    assert fit.mixed <= fit.mixed_before < fit.after
    assert 0 < fit.discounts[0] < 1 and fit.discounts[1] < 2 and fit.discounts[2] < 3
    assert fit.model.info["fit"]["discount_once"] == pytest.approx(fit.discounts[0])
    assert counted.fit_temperature(documents[:9], most_words=500).discounts is None
    alone, mixed = (fit.model.score(documents[:9], bigrams=b).total for b in (None, pairs))
    assert mixed.log_likelihood[0] > alone.log_likelihood[0]
    near = fit.model.next_words("saxa", topn=len(counted), bigrams=pairs)
    assert sum(p for _, p in near) == pytest.approx(1, abs=1e-5)
    assert near != fit.model.next_words("saxa", topn=len(counted))
    assert len(fit.model.generate("saxa", length=5, bigrams=pairs)) == 5
    with pytest.raises(psdvec.FormatError, match="window"):
        counted.score(["saxa"], bigrams=psdvec.count(documents, min_count=1))


def test_residuals(counted, counts, tmp_path):
    found = counted.residuals(counts, topn=5)
    assert len(found) == 5 and found.report["pairs"] > 5
    assert all(r.residual == pytest.approx(r.target - r.product) for r in found)
    losses = [r.weight * r.residual ** 2 for r in found]
    assert losses == sorted(losses, reverse=True)
    everything = psdvec.residuals(counted, counts, tmp_path / "r.safetensors", topn=None,
                                  order="less", min_count=0)
    assert everything[0].residual <= everything[-1].residual
    assert (tmp_path / "r.safetensors").exists()
    with pytest.raises(ValueError, match="'loss', 'more', 'less'"):
        counted.residuals(counts, order="worst")
    assert "correlation" in found._repr_html_()


def test_the_joint_probability(counted, counts):
    terms = psdvec.joint(counted, counts)
    assert terms["unigrams"] < 0 < terms["pairs"]
    stored = counted.info["joint"]
    assert terms["products"] == pytest.approx(stored["products"])


def test_interactions(counted, documents):
    found = counted.interactions(documents, topn=4, min_count=2)
    assert len(found) == 4 and found[0].count >= found[3].count
    assert found[0].interaction == pytest.approx(
        found[0].joint - found[0].pmi_ac - found[0].pmi_bc)
    assert len(found.report["quantiles"]) == 5 and found.information["both"] > 0
    asked = counted.interactions(documents, [found[2][:3], found[1][:3]])
    assert [(x.a, x.b, x.c, x.count) for x in asked] == [
        (x.a, x.b, x.c, x.count) for x in (found[2], found[1])]
    with pytest.raises(TypeError, match="must be str"):
        counted.interactions([["saxa"]])
    with pytest.raises(ValueError, match="three words"):
        counted.interactions(documents, [("saxa", "saxb")])


def test_simulation(tmp_path):
    drawn = psdvec.simulate(tmp_path / "sim", vocab=30, dim=3, tokens=2000, seed=1)
    assert len(drawn.model) == 30 and drawn.tokens == 2000
    assert psdvec.count(drawn.text, min_count=1).info["tokens"] == 2000


def test_plan(counts):
    plan = psdvec.plan(counts, dim=10)
    assert plan.words == len(counts) and plan.dim == 10 and plan.memory > 0


def test_merging_counts(documents, counts, tmp_path):
    parts = [psdvec.count(documents[k::2], window=5, min_count=1) for k in (0, 1)]
    both = psdvec.merge_counts([parts[0], parts[1].path], tmp_path / "both")
    assert both.path == str(tmp_path / "both") and both.info["bigrams"] == counts.info["bigrams"]
    assert both["saxa", "saxb"] == counts["saxa", "saxb"]


@pytest.mark.parametrize("format", ["glove", "matrix-market", "top2grams"])
def test_exporting_and_importing_counts(counts, tmp_path, format):
    counts.export(tmp_path / "out", format, vocab_output=tmp_path / "words")
    options = {} if format == "top2grams" else {"vocab": tmp_path / "words"}
    again = psdvec.import_counts(tmp_path / "out", format=format, window=5, **options)
    assert again["saxa", "saxb"] == pytest.approx(counts["saxa", "saxb"], rel=1e-3)
    with pytest.raises(ValueError, match="format must be one of"):
        counts.export(tmp_path / "x", "xml")
    with pytest.raises(psdvec.OptionError, match="give the `format`"):
        psdvec.import_counts(tmp_path / "out")


def test_pairs_and_totals(counts):
    pytest.importorskip("scipy")
    matrix = counts.to_scipy()
    everything = counts.pairs()
    assert len(everything) == matrix.nnz
    assert sum(p.count for p in everything) == pytest.approx(matrix.sum())
    best = counts.pairs(topn=3)
    assert best[0].count == matrix.max() and best[0].count >= best[2].count
    assert all("saxa" in pair[:2] for pair in counts.pairs("saxa"))
    assert np.allclose(counts.context_totals, np.asarray(matrix.sum(axis=1)).ravel())
    assert np.allclose(counts.focus_totals, np.asarray(matrix.sum(axis=0)).ravel())
    assert np.all(counts.retentions == 1)


def test_associations(counts, documents):
    around = counts.associations("saxa", 5)
    assert around.word == "saxa" and len(around.before) == len(around.after) == 5
    assert all(a.word.startswith("sa") and a.lift > 1 for a in around.after)
    assert around.before[0].count == counts[around.before[0].word, "saxa"]
    by_count = counts.associations(["saxa", "saxb"], 3, by="count")
    assert len(by_count) == 2 and by_count[1].word == "saxb"
    columns, values = counts.row("saxa")
    assert by_count[0].after[0].count == values.max()
    with pytest.raises(ValueError, match="by must be"):
        counts.associations("saxa", by="size")
    with pytest.raises(KeyError):
        counts.associations("nosuchword")
    subsampled = psdvec.count(documents[:200], window=5, min_count=1, subsample=1e-3)
    assert subsampled.retentions.min() < 1
    assert subsampled.associations("saxa", min_count=1).after[0].lift > 1


def test_words_of_a_model(model):
    assert model.odd_one_out(["saxa", "saxb", "sbxa", "saxc"])[0][0] == "sbxa"
    assert model.doesnt_match(["saxa", "saxb", "sbxa", "saxc"]) == "sbxa"
    with pytest.raises(ValueError, match="three different"):
        model.odd_one_out(["saxa", "saxa", "saxb"])
    assert [w for w, i in model.find_parts("saxa nosuchword")] == ["saxa", "nosuchword"]
    assert model.find_parts("nosuchword")[0][1] is None
    assert 0 < model.probability("saxa") < 1 and model.spread("saxa") >= 0
    assert np.array_equal(model.generative_vector("saxa"),
                          model.generative_vectors[model.find("saxa")])
    assert len(model.info["iterations"]) > 0
    assert model.info["iterations"][0]["objective"] > 0
    inside = model.analogy("saxa", "saxb", "sbxa", min_frequency=300, min_score=0.1)
    assert all(model.frequency(w) >= 300 and score >= 0.1 for w, score in inside)
    many = model.most_similar_many(["saxa"], min_frequency=300)[0]
    assert many == model.most_similar("saxa", min_frequency=300)


def test_sparse_models(documents, model):
    pytest.importorskip("scipy")
    ppmi = psdvec.baseline(documents, "ppmi", min_count=1)
    matrix = ppmi.to_scipy()
    assert matrix.shape == (len(ppmi), ppmi.vector_size) and matrix.nnz == ppmi._info.entries
    assert np.array_equal(matrix[3].toarray()[0], ppmi[3])
    codes = psdvec.baseline(model, "sparse", epochs=2, factor=2)
    assert codes.info["sparse"] and codes.info["method"] == "sparse"
    assert why_contexts(ppmi)


def why_contexts(ppmi):
    """Dimensions of PPMI are words."""
    why = ppmi.compare("saxa", "saxb", contexts=10**4)
    return sum(c.part for c in why.contexts) == pytest.approx(why.cosine, abs=1e-5)


def test_tokenizing_and_joining(tmp_path):
    (tmp_path / "a.txt").write_text("We saw New York.\n\nOld York\n")
    assert psdvec.tokenize_documents(tmp_path / "a.txt") == [
        ["we", "saw", "new", "york"], ["old", "york"]]
    (tmp_path / "list").write_text("new york\n")
    joined = psdvec.join_phrases(tmp_path / "a.txt", tmp_path / "list", tmp_path / "b.txt")
    assert joined == 1 and "new_york" in (tmp_path / "b.txt").read_text()
    texts = ["we saw new york and old york"] * 30 + ["a new thing in york"] * 30
    psdvec.find_phrases(texts, tmp_path / "l", joined=tmp_path / "c.txt", min_count=5, threshold=.1)
    assert "new_york" in (tmp_path / "c.txt").read_text()
