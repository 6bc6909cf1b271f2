"""The same calls on gensim's KeyedVectors and on a model, with the same results."""

import numpy as np
import pytest

import psdvec

KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors


@pytest.fixture(scope="module")
def both(model, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("gensim") / "m.bin")
    model.save(path)
    return psdvec.load(path), KeyedVectors.load_word2vec_format(path, binary=True)


CALLS = {
    "most_similar": lambda v: v.most_similar("saxa"),
    "most_similar of a list": lambda v: v.most_similar(["saxa", "saxb"], ["sbxa"], topn=7),
    "most_similar with weights": lambda v: v.most_similar([("saxa", 0.5), ("saxb", 2.0)]),
    "most_similar of a vector": lambda v: v.most_similar([v["saxa"]], topn=3),
    "most_similar restricted": lambda v: v.most_similar("saxa", restrict_vocab=40),
    "most_similar clipped": lambda v: v.most_similar("saxa", clip_start=20, clip_end=90),
    "all similarities": lambda v: v.most_similar("saxa", topn=None),
    "similar_by_word": lambda v: v.similar_by_word("saxa", topn=4),
    "similar_by_key": lambda v: v.similar_by_key("saxa", topn=4),
    "similar_by_vector": lambda v: v.similar_by_vector(v["saxa"] + v["sbxa"], topn=4),
    "most_similar_cosmul": lambda v: v.most_similar_cosmul(["saxa", "sbxb"], ["saxb"], topn=5),
    "similarity": lambda v: v.similarity("saxa", "saxb"),
    "distance": lambda v: v.distance("saxa", "saxb"),
    "distances": lambda v: v.distances("saxa", ["saxb", "sbxa"]),
    "distances to all": lambda v: v.distances("saxa"),
    "n_similarity": lambda v: v.n_similarity(["saxa", "saxb"], ["sbxa", "scxa"]),
    "doesnt_match": lambda v: v.doesnt_match(["saxa", "saxb", "saxc", "sbxa"]),
    "rank": lambda v: v.rank("saxa", "saxd"),
    "closer_than": lambda v: v.closer_than("saxa", "saxd"),
    "get_vector": lambda v: v.get_vector("saxa", norm=True),
    "getitem": lambda v: v["saxa"],
    "getitem of a list": lambda v: v[["saxa", "saxb"]],
    "get_mean_vector": lambda v: v.get_mean_vector(["saxa", "sbxa"], weights=[1, 3]),
    "key_to_index": lambda v: v.key_to_index,
    "index_to_key": lambda v: v.index_to_key,
    "get_index": lambda v: (v.get_index("saxa"), v.get_index("nothere", default=-1)),
    "contains": lambda v: ("saxa" in v, "nothere" in v, v.has_index_for("saxa")),
    "sizes": lambda v: (len(v), v.vector_size, v.vectors.shape),
    "get_normed_vectors": lambda v: v.get_normed_vectors(),
}


def assert_same(a, b):
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert_same(x, y)
    elif isinstance(a, (float, np.floating, np.ndarray)) and not isinstance(a, bool):
        assert np.allclose(a, b, atol=2e-5)
    else:
        assert a == b


@pytest.mark.parametrize("call", list(CALLS))
def test_same_result(both, call):
    ours, theirs = (CALLS[call](vectors) for vectors in both)
    assert_same(theirs, ours)


def test_evaluation(both, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("# comment\n" + "".join(
        f"S{a}xa\ts{b}x{c}\t{9 - abs(ord(a) - ord(b))}\n" for a in "abcde" for b in "abcde"
        for c in "bcd") + "unknown\tsaxa\t3\n")
    for options in ({}, {"dummy4unknown": True}, {"restrict_vocab": 100}):
        ours, theirs = (v.evaluate_word_pairs(str(pairs), **options) for v in both)
        assert_same([list(theirs[0]), list(theirs[1]), theirs[2]],
                    [list(ours[0]), list(ours[1]), ours[2]])
    analogies = tmp_path / "analogies.txt"
    analogies.write_text(": one\n" + "".join(
        f"s{a}xa s{a}xb s{b}xa s{b}xb\n" for a in "abc" for b in "abc" if a != b)
        + ": two\nsaxa saxb sbxa unknown\nsaxa Saxc sbxa sbxc\n")
    for options in ({}, {"dummy4unknown": True}):
        ours, theirs = (v.evaluate_word_analogies(str(analogies), **options) for v in both)
        assert ours == theirs


def test_names_of_gensim_3(model):
    assert model.wv is model
    assert model.index2word is model.index_to_key and model.index2entity is model.index_to_key
    assert model.vocab["saxa"].index == model.find("saxa")
    assert model.vocab["saxa"].count == model.frequency("saxa")
    assert "saxa" in model.vocab and "nothere" not in model.vocab
    assert len(model.vocab) == len(model) and list(model.vocab)[:3] == model.index_to_key[:3]
    assert np.array_equal(model.word_vec("saxa", use_norm=True), model.get_vector("saxa", norm=True))
    assert model.words_closer_than("saxa", "saxd") == model.closer_than("saxa", "saxd")
    assert np.array_equal(model.syn0, model.vectors)
    assert model.get_vecattr("saxa", "count") == model.frequency("saxa")


def test_to_and_from_gensim(model):
    vectors = model.to_gensim()
    assert isinstance(vectors, KeyedVectors)
    assert vectors.get_vecattr("saxa", "count") == model.frequency("saxa")
    again = psdvec.from_gensim(vectors)
    assert again.index_to_key == model.index_to_key
    assert np.allclose(again.vectors, model.vectors)
