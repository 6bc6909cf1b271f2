"""Training and counting: inputs, options, errors."""

import hashlib
import importlib.util
import json
import math
import os
import pathlib
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import psdvec


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def test_training_puts_related_words_together(model):
    near = [word for word, _ in model.most_similar("saxb", topn=5)]
    assert all(word.startswith("sa") for word in near)


def test_the_same_bits_twice_and_for_any_number_of_threads(documents, tmp_path):
    for name, threads in (("a", 1), ("b", 1), ("c", 3)):
        psdvec.train(documents, tmp_path / name, dim=10, min_count=1, threads=threads)
    assert digest(tmp_path / "a") == digest(tmp_path / "b") == digest(tmp_path / "c")


def test_files_texts_and_generators_give_the_same_counts(documents, tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(documents) + "\n")
    half = len(documents) // 2
    (tmp_path / "one.txt").write_text("\n".join(documents[:half]) + "\n")
    (tmp_path / "two.txt").write_text("\n".join(documents[half:]) + "\n")
    sources = [str(tmp_path / "text.txt"), tmp_path / "text.txt", documents, iter(documents),
               np.array(documents), tuple(documents),
               [tmp_path / "one.txt", tmp_path / "two.txt"]]
    results = [psdvec.count(source, min_count=1) for source in sources]
    for counts in results:
        assert counts.index_to_key == results[0].index_to_key
        assert counts.info["bigrams"] == results[0].info["bigrams"]
        assert counts.info["documents"] == len(documents)


def test_token_lists_are_not_tokenized_again():
    counts = psdvec.count([["New York", "3.14", "don't", "Ab"]] * 9, min_count=1)
    assert sorted(counts.index_to_key) == ["3.14", "Ab", "New_York", "don't"]
    assert counts["New_York", "3.14"] == 9


def test_lines_inside_a_text_do_not_end_the_document():
    counts = psdvec.count(["a\nb\r\nc\u2028d\x0be"] * 3, min_count=1)
    assert counts.info["documents"] == 3
    assert counts["a", "e"] == 3


def test_missing_values_are_skipped():
    counts = psdvec.count([None, "a b", float("nan"), "a b"], min_count=1)
    assert counts.info["documents"] == 2


def test_training_from_counts_gives_the_same_vectors(documents, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(documents) + "\n")
    psdvec.count(text, tmp_path / "c.safetensors", preset="default", min_count=1)
    a = psdvec.train(tmp_path / "c.safetensors", dim=10)
    b = psdvec.train(text, dim=10, min_count=1)
    assert np.array_equal(a.generative_vectors, b.generative_vectors)
    with pytest.raises(psdvec.OptionError, match="counts file"):
        psdvec.train(tmp_path / "c.safetensors", dim=10, window=3)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="did you mean 'min_count'"):
        psdvec.train("x", min_cont=3)
    with pytest.raises(psdvec.OptionError, match="`dim` must be a whole number"):
        psdvec.train("x", dim=0)
    with pytest.raises(ValueError, match="`form` must be"):
        psdvec.train("x", form="round")
    with pytest.raises(TypeError, match="must be a bool"):
        psdvec.train("x", centre=1)
    with pytest.raises(TypeError, match="not bool"):
        psdvec.train("x", dim=True)
    with pytest.raises(TypeError, match="must be a list of str"):
        psdvec.count(["a b"], keep=[1])
    with pytest.raises(psdvec.OptionError, match="'default' or 'paper', not 'papers'"):
        psdvec.count(["a b"], preset="papers")
    with pytest.raises(FileNotFoundError):
        psdvec.train("no/such/file")
    with pytest.raises(ValueError, match="no texts"):
        psdvec.train([])
    with pytest.raises(TypeError, match="decode"):
        psdvec.train(b"text")
    with pytest.raises(TypeError, match="mixture"):
        psdvec.count(["a b", ["a"]], min_count=1)
    with pytest.raises(ValueError, match="progress must be"):
        psdvec.count(["a b"], progress="loud")


def test_a_list_of_file_names_is_not_taken_for_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.txt").write_text("a b\n")
    with pytest.raises(ValueError, match="name of a file"):
        psdvec.count(["a.txt"])


def test_errors_name_the_texts_and_not_a_descriptor():
    with pytest.raises(psdvec.InputError, match="^the texts: none of 2 distinct words"):
        psdvec.count(["a b"])


def test_memory_that_does_not_suffice(documents):
    with pytest.raises(MemoryError, match="raise the limit"):
        psdvec.train(documents, memory="1M")


def test_words_with_commas_are_kept():
    counts = psdvec.count([["a,b", "c", "c"]] * 3, min_count=5, keep=["a,b"])
    assert "a,b" in counts


def test_an_exception_of_the_iterable_is_raised_and_nothing_is_written(tmp_path):
    def broken():
        yield "a b c d"
        raise RuntimeError("the source is broken")
    with pytest.raises(RuntimeError, match="the source is broken"):
        psdvec.train(broken(), tmp_path / "m", min_count=1)
    assert os.listdir(tmp_path) == []


def test_a_library_that_stops_early_ends_the_iterable():
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield "word " * 1000
    with pytest.raises(psdvec.PsdvecError):
        psdvec.count(endless(), window=3, vocab="x", max_vocab=3)
    assert taken < 1000000


def test_progress_and_cancellation_by_a_callback(documents):
    seen = []
    psdvec.train(documents, dim=10, min_count=1, progress=seen.append)
    assert seen and all(isinstance(p, psdvec.Progress) for p in seen)

    def stop(_progress):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        psdvec.train(documents, dim=10, min_count=1, iterations=500, progress=stop)


def test_bars_are_drawn_after_a_second(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(psdvec._context.time, "monotonic", lambda: now[0])
    kinds = ["bar", "tqdm"] if importlib.util.find_spec("tqdm") else ["bar"]
    for kind in kinds:
        bar = psdvec._context._display(kind)
        for now[0], shown in ((now[0] + .5, False), (now[0] + 1, True)):
            bar(psdvec.Progress("counting", "words", 30, 100, 1.0, 3.0, math.nan))
            assert ("counting" in capsys.readouterr().err) == shown, kind
        bar.close()
        capsys.readouterr()


def test_ctrl_c_stops_within_a_second(documents, tmp_path):
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.7, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        psdvec.train(documents, tmp_path / "m", dim=40, min_count=1, iterations=10000,
                     eigen_tolerance=1e-6)
    assert time.monotonic() - sent[0] < 2  # usually a tenth of a second; the machine may be busy
    assert not (tmp_path / "m").exists()


def test_an_interrupted_run_resumes(documents, tmp_path):
    counts = psdvec.count(documents, tmp_path / "c", min_count=1)
    options = dict(dim=40, iterations=150, eigen_tolerance=1e-6)
    whole = psdvec.train(counts, tmp_path / "whole", **options)
    seen = []

    def stop(progress):
        seen.append(progress.objective)
        if any(x == x for x in seen):  # reports come ten times a second; training takes longer
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        psdvec.train(counts, tmp_path / "m", progress=stop, **options)
    assert sorted(os.listdir(tmp_path)) != ["c", "whole"] and not (tmp_path / "m").exists()
    again = psdvec.train(counts, tmp_path / "m", **options)
    assert np.array_equal(again.vectors, whole.vectors)
    assert sorted(os.listdir(tmp_path)) == ["c", "m", "whole"]


def test_ctrl_c_while_the_iterable_waits():
    def waiting():
        yield "a b"
        time.sleep(60)
        yield "c d"
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        psdvec.count(waiting(), min_count=1)
    assert time.monotonic() - began < 10


def test_warnings_are_python_warnings():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for call in psdvec.count, psdvec.train:
            call(["new_york is a big_city of the_world"] * 200)
    assert [w.category for w in said if "underscore" in str(w.message)] == [psdvec.PsdvecWarning] * 2
    assert {w.filename for w in said} == {__file__}  # the line of the caller


def test_messages_do_not_name_temporary_files(documents):
    model = psdvec.train(documents, dim=4, min_count=1)
    with pytest.warns(psdvec.PsdvecWarning, match="is not yet in the model$"):
        psdvec.extend(model, documents[:3] + ["unheard of"], min_count=5)


def test_the_message_for_an_unknown_preset_lists_the_presets():
    with pytest.raises(psdvec.OptionError, match="'preset' must be .*paper.*, not 'papper'"):
        psdvec.train(["the cat sat on the mat"] * 9, preset="papper")


@pytest.mark.parametrize("form", [{"document": "file"}, {"document": "blank-line"},
                                  {"document": "none"}, {"json_field": "text"}],
                         ids=lambda form: next(iter(form.values())))
def test_each_new_text_is_a_document_whatever_the_form_of_the_old_one_was(form, documents, tmp_path):
    old = tmp_path / "old.txt"
    lines = documents if "document" in form else [json.dumps({"text": d}) for d in documents]
    old.write_text("\n".join(lines) + "\n")
    trained = psdvec.train(old, dim=5, min_count=1, **form)
    new = ["saxa saxb newword"] * 20
    (tmp_path / "new.txt").write_text("\n".join(new) + "\n")
    vectors = [trained.extend(new, min_count=5)["newword"],
               trained.extend(tmp_path / "new.txt", min_count=5, document="line",
                              plain_text=True)["newword"]]
    assert (vectors[0] == vectors[1]).all()
    if "document" in form:  # windows that cross the texts give another vector
        across = trained.extend(tmp_path / "new.txt", min_count=5)["newword"]
        assert (across != vectors[0]).any()
    else:
        assert len(trained.score(new)) == len(new)


def test_new_tokens_are_taken_as_they_are(model):
    bigger = model.extend([["saxa", "saxb", "new-word"]] * 20, min_count=5)
    assert "new-word" in bigger and "new" not in bigger


def test_extending(model):
    bigger = psdvec.extend(model, ["saxa saxb newword newword"] * 20, min_count=5)
    assert len(bigger) == len(model) + 1 and "newword" in bigger
    assert np.array_equal(bigger.generative_vectors[:len(model)], model.generative_vectors)


@pytest.mark.parametrize("method", ["svd", "glove", "sgns", "ppmi"])
def test_baselines(documents, method):
    options = {} if method == "ppmi" else {"dim": 10}
    other = psdvec.baseline(documents, method, min_count=1, **options)
    assert other.info["method"] == method and "saxa" in other
