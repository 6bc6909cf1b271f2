"""The vectorizer for scikit-learn."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import psdvec

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

from psdvec.sklearn import PsdvecVectorizer  # noqa: E402


@pytest.fixture(scope="module")
def texts(documents):
    return documents[:300]


@pytest.fixture(scope="module")
def subjects(texts):
    """The subject of each document: the second letter of its words of a subject."""
    return [next(word[1] for word in text.split() if word[0] == "s") for text in texts]


@pytest.fixture(scope="module")
def fitted(texts):
    return PsdvecVectorizer(dim=12, min_count=1).fit(texts)


def test_vectors(fitted, texts):
    vectors = fitted.transform(texts)
    assert vectors.shape == (300, 12) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(vectors, PsdvecVectorizer(dim=12, min_count=1).fit_transform(texts))
    assert np.array_equal(vectors[7:9], fitted.transform(texts[7:9]))
    assert fitted.get_feature_names_out().tolist() == [f"psdvecvectorizer{i}" for i in range(12)]


def test_vectors_are_those_of_the_formula(model, documents):
    vectorizer = PsdvecVectorizer(model=model, smoothing=0.01, common_components=1,
                                  norm=None).fit(documents[:50])
    means = []
    for text in documents[:50]:
        share = np.array([model.frequency(word) for word in text.split()])
        share = share / sum(model.frequency(i) for i in range(len(model)))
        means.append((0.01 / (0.01 + share)) @ model[text.split()] / len(text.split()))
    common = np.linalg.svd(np.array(means))[2][0]
    expected = means - np.outer(means @ common, common)
    assert np.allclose(vectorizer.transform(documents[:50]), expected, atol=1e-5)
    assert np.allclose(np.abs(vectorizer.components_ @ common), 1, atol=1e-4)


def test_without_weights_and_components_a_word_has_its_vector(model):
    plain = PsdvecVectorizer(model=model, smoothing=None, common_components=0, norm=None)
    vectors = plain.fit(["saxa"]).transform(["saxa", "saxa saxb", ["saxa"], "saxaxa saxa"])
    assert np.allclose(vectors[0], model["saxa"]) and np.array_equal(vectors[0], vectors[2])
    assert np.allclose(vectors[1], (model["saxa"] + model["saxb"]) / 2)
    assert np.allclose(vectors[3], (model["saxa"] + model["saxaxa"]) / 2)
    without = plain.set_params(unseen=False).transform(["saxaxa saxa", "saxaxa"])
    assert np.array_equal(without[0], vectors[0]) and not without[1].any()


def test_texts_without_words_have_the_vector_0(fitted):
    assert not fitted.transform(["", None, float("nan"), []]).any()
    assert fitted.transform([]).shape == (0, 12)


def test_inputs(fitted, texts):
    expected = fitted.transform(texts[:3])
    for same in (tuple(texts[:3]), np.array(texts[:3]), iter(texts[:3]),
                 [text.split() for text in texts[:3]]):
        assert np.array_equal(fitted.transform(same), expected)
    for wrong in ("a text", b"a text"):
        with pytest.raises(ValueError, match="a list of texts"):
            fitted.transform(wrong)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        PsdvecVectorizer().transform(texts)


@pytest.mark.parametrize("wrong", [{"smoothing": 0}, {"common_components": -1}, {"norm": "l1"},
                                   {"dim": 0}])
def test_wrong_values_are_refused_by_fit(texts, wrong):
    vectorizer = PsdvecVectorizer(**wrong)  # scikit-learn expects no check here
    with pytest.raises(ValueError, match=next(iter(wrong))):
        vectorizer.fit(texts)


def test_wrong_names_are_refused():
    with pytest.raises(TypeError, match="did you mean 'min_count'"):
        PsdvecVectorizer(min_cont=3)
    with pytest.raises(ValueError, match="Invalid parameter"):
        PsdvecVectorizer().set_params(min_cont=3)


def test_every_option_of_training_is_a_parameter():
    from psdvec._options import table
    from psdvec.sklearn import _KINDS
    parameters = PsdvecVectorizer(dim=7).get_params()
    assert {name for kind in _KINDS for name in table(kind)} < set(parameters)
    assert parameters["dim"] == 7 and parameters["window"] is None
    assert repr(PsdvecVectorizer(dim=7)) == "PsdvecVectorizer(dim=7)"
    assert "min_count : " in PsdvecVectorizer.__doc__


def test_clones_and_pickles(fitted, texts, tmp_path):
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(texts), fitted.transform(texts))
    assert again.get_params() == fitted.get_params()
    assert clone(fitted).get_params() == fitted.get_params() and not hasattr(clone(fitted), "model_")
    path = tmp_path / "m.vec"  # a pickle contains the model even if it has a file
    fitted.model_.save(path)
    data = pickle.dumps(PsdvecVectorizer(model=path, common_components=0).fit(texts))
    path.unlink()
    assert pickle.loads(data).transform(texts[:1]).shape == (1, 12)
    assert clone(PsdvecVectorizer(model=fitted.model_)).fit(texts).model_.path == fitted.model_.path


def test_vectors_of_other_programs_use_the_frequencies_of_the_texts(model, texts, tmp_path):
    model.save(tmp_path / "m.vec")
    foreign = PsdvecVectorizer(model=str(tmp_path / "m.vec")).fit(texts)
    assert foreign.model_.frequency(0) == 0
    words = " ".join(texts).split()
    common, rare = max(set(words), key=words.count), min(set(words), key=words.count)
    weights = [foreign._weights[foreign.model_.find(word)] for word in (common, rare)]
    assert weights[0] == pytest.approx(1e-3 / (1e-3 + words.count(common) / len(words)), rel=1e-5)
    assert weights[0] < weights[1]


def test_pandas_output(fitted, texts):
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(texts[:4], index=list("abcd"))
    framed = clone(fitted).set_output(transform="pandas")
    for frame, labels in ((framed.fit_transform(column), list("abcd")),
                          (framed.transform(column), list("abcd")),
                          (framed.transform(texts[:4]), [0, 1, 2, 3])):
        assert list(frame.index) == labels and frame.columns[3] == "psdvecvectorizer3"
    with pytest.raises(ValueError, match="frame\\['text'\\]"):
        fitted.transform(pandas.DataFrame({"text": texts[:4]}))


def test_pipeline_and_grid_search(texts, subjects):
    search = GridSearchCV(
        make_pipeline(PsdvecVectorizer(min_count=1, threads=1), LogisticRegression(C=10)),
        {"psdvecvectorizer__dim": [2, 12], "psdvecvectorizer__smoothing": [1e-3]}, cv=2)
    search.fit(texts, subjects)
    assert search.best_params_["psdvecvectorizer__dim"] == 12 and search.best_score_ > .9
    assert list(search.predict(["saxa saxb caa", "sbxa cbb"])) == ["a", "b"]


def test_checks_of_scikit_learn():
    with warnings.catch_warnings():
        # The checks of numeric data do not apply to texts.
        warnings.simplefilter("ignore", sklearn.exceptions.SkipTestWarning)
        estimator_checks.check_estimator(PsdvecVectorizer())
    for name in ("check_parameters_default_constructible", "check_no_attributes_set_in_init",
                 "check_get_params_invariance", "check_set_params"):
        getattr(estimator_checks, name)("PsdvecVectorizer", PsdvecVectorizer())


def test_tags_of_newer_versions(monkeypatch):
    from types import SimpleNamespace
    newer = SimpleNamespace(input_tags=SimpleNamespace(string=False, two_d_array=True),
                            transformer_tags=SimpleNamespace(preserves_dtype=["float64"]))
    monkeypatch.setattr(sklearn.base.BaseEstimator, "__sklearn_tags__", lambda self: newer,
                        raising=False)
    tags = PsdvecVectorizer().__sklearn_tags__()
    assert tags.input_tags.string and not tags.input_tags.two_d_array
    assert tags.transformer_tags.preserves_dtype == []


def test_scikit_learn_is_imported_only_when_it_is_used():
    code = ("import sys, psdvec; assert 'sklearn' not in sys.modules; assert 'sklearn' in dir(psdvec);"
            "print(psdvec.sklearn.PsdvecVectorizer.__name__);"
            "sys.modules['sklearn.base'] = None; del sys.modules['psdvec.sklearn'], psdvec.sklearn;"
            "psdvec.sklearn")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "PsdvecVectorizer\n"
    assert "psdvec.sklearn needs scikit-learn" in done.stderr
