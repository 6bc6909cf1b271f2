"""Comparison of systems, and scores of several models."""

import os
import random

import pytest

import psdvec


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    path = tmp_path_factory.mktemp("sets") / "pairs.tsv"
    path.write_text("".join(f"s{a}xa\ts{b}x{c}\t{9 if a == b else 1}\n"
                            for a in "abcde" for b in "abcde" for c in "bcd"))
    return path


def test_systems_are_compared(documents, pairs, tmp_path):
    result = psdvec.compare_systems(iter(documents[:500]), ["psd", "glove", "sgns", "sparse-svd"],
                                    pairs, dim=10, min_count=1, output=tmp_path / "out",
                                    resamples=200)
    assert [s.name for s in result] == ["psd", "glove", "sgns", "svd", "sparse-svd"]
    assert all(s.seconds > 0 and s.memory > 0 and not s.error for s in result)
    assert list(result.models) == [s.name for s in result]
    sizes = {len(m) for m in result.models.values()}
    assert len(sizes) == 1 and result.models["glove"].vector_size == 10
    assert "codes of svd" in result[4].title
    assert (tmp_path / "out" / "glove.safetensors").exists()
    assert len(result.counts) == 1
    assert result.scores.names == [s.name for s in result] and len(result.scores.differences) == 10
    assert result.table().splitlines()[0].split() == ["test", "measure", *result.models, "known"]
    assert "glove" in result._repr_html_() and str(result) == result.table()
    # The same model as by the function of its own.
    counts = result.counts[0]
    alone = psdvec.train(counts, dim=10)
    assert (alone.vectors == result.models["psd"].vectors).all()


def test_each_system_may_count_in_its_own_way(documents, pairs):
    result = psdvec.compare_systems(documents[:200], ["psd", "glove"], pairs, dim=5, min_count=1,
                                    counting="own", resamples=0, distance="uniform")
    assert len(result.counts) == 2
    assert {c.info["settings"]["distance"] for c in result.counts} == {"uniform"}
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == ["psd", "glove"] and len(frame) == 1


def test_a_system_that_fails_is_left_out(documents, pairs, tmp_path):
    (tmp_path / "svd.safetensors" / "in the way").mkdir(parents=True)
    with pytest.warns(psdvec.PsdvecWarning, match="svd failed") as said:
        result = psdvec.compare_systems(documents[:200], ["ppmi", "sparse-svd"], pairs, dim=5,
                                        min_count=1, resamples=0, output=tmp_path)
    assert said[0].filename == __file__
    assert list(result.models) == ["ppmi"] and result[1].error
    assert "depends on svd" in result[2].error


def test_wrong_systems(documents):
    with pytest.raises(psdvec.OptionError, match="no method 'word2vec'; the methods are psd, "):
        psdvec.compare_systems(documents, ["word2vec"])
    with pytest.raises(psdvec.OptionError, match="dense vectors"):
        psdvec.compare_systems(documents, ["sparse-ppmi"])
    with pytest.raises(ValueError, match="counting must be"):
        psdvec.compare_systems(documents, counting="mine")
    with pytest.raises(ValueError, match="at least one"):
        psdvec.compare_systems(documents, [])
    assert "psd-25k" in [name for name, _, _ in psdvec.systems()]


def test_scores_of_several_models(model, documents, pairs):
    words = " ".join(documents).split()
    random.Random(1).shuffle(words)  # what remains means nothing
    worse = psdvec.train([words[k:k + 20] for k in range(0, len(words), 20)], dim=20, min_count=1,
                         spelling="off")
    scores = psdvec.evaluate({"good": model, "bad": worse}, pairs, resamples=500)
    assert scores.names == ["good", "bad"] and len(scores.differences) == 1
    assert scores.differences[0].significant
    marked = scores.table().splitlines()[1].split()
    assert not marked[2].endswith("*") and marked[3].endswith("*")
    assert "significantly worse" in scores._repr_html_()
    pytest.importorskip("pandas")
    assert list(scores.to_pandas()["model"]) == ["good", "bad"]
    both = psdvec.evaluate(model, pairs, builtin=True, resamples=0)
    assert len({s.test for s in both}) > 1
    assert both.names == [os.path.splitext(os.path.basename(model.path))[0]]
