"""Models: vectors, queries, files, lifetime."""

import copy
import gc
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest

import psdvec


def test_vectors_are_a_view(model):
    v = model.vectors
    assert v.shape == (len(model), 20) and v.dtype == np.float32
    assert not v.flags.writeable and not v.flags.owndata
    assert np.array_equal(v[3], model[3]) and np.array_equal(v[3], model[model.index_to_key[3]])
    assert model[["saxa", "saxb"]].shape == (2, 20)
    assert model.generative_vectors.shape == v.shape and len(model.eigenvalues) == 20


def test_words(model):
    assert model.key_to_index[model.index_to_key[5]] == 5
    assert "saxa" in model and "SAXA" in model and "nothere" not in model and 3 in model
    assert model.frequency("saxa") > 0
    assert list(model)[:2] == model.index_to_key[:2]
    assert model.tokenize("Saxa, saxb!") == ["saxa", "saxb"]
    assert model.suggest("saxaa")[0].startswith("sax")


def test_unknown_words_get_a_vector_by_their_spelling_or_an_error(documents, model, tmp_path):
    assert np.linalg.norm(model["saxbsaxa"]) > 0
    plain = psdvec.train(documents, dim=10, min_count=1, spelling="off")
    with pytest.raises(KeyError, match="did you mean 'saxa'"):
        plain["saxaq"]
    with pytest.raises(KeyError):
        model[10**6]
    with pytest.raises(TypeError):
        model.get_vector(3.5)


def test_neighbours_are_those_of_numpy(model):
    vectors = model.vectors.astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    i = model.find("saxa")
    cosines = vectors @ vectors[i]
    cosines[i] = -9
    best = np.argsort(-cosines)[:10]
    near = model.most_similar("saxa")
    assert [word for word, _ in near] == [model.index_to_key[k] for k in best]
    assert np.allclose([score for _, score in near], cosines[best], atol=1e-5)


def test_many_queries_are_the_single_ones(model):
    words = model.index_to_key[:30]
    assert model.most_similar_many(words, topn=4) == [model.most_similar(w, topn=4) for w in words]
    assert model.most_similar_many([]) == []


def test_restrictions(model):
    assert {model.find(w) for w, _ in model.most_similar("saxa", restrict_vocab=20)} <= set(range(20))
    assert all(model.find(w) >= 50 for w, _ in model.most_similar("saxa", clip_start=50))
    least = 400
    assert all(model.frequency(w) >= least
               for w, _ in model.most_similar("saxa", min_frequency=least))
    assert all(score >= .5 for _, score in model.most_similar("saxa", topn=99, min_score=.5))
    assert model.most_similar("saxa", topn=0) == []
    with pytest.raises(ValueError):
        model.most_similar()
    with pytest.raises(ValueError, match="shape"):
        model.most_similar(np.zeros(3))


def test_analogy(model):
    a = model.analogy("saxa", "saxb", "sbxa", topn=5)
    assert len(a) == 5 and not {"saxa", "saxb", "sbxa"} & {word for word, _ in a}
    with pytest.raises(ValueError, match="method"):
        model.analogy("saxa", "saxb", "sbxa", method="divide")


def test_the_weight_of_spelling(model):
    contexts = model.with_spelling(0)
    assert not np.allclose(contexts.vectors, model.vectors)
    assert np.allclose(model.with_spelling(1).vectors, model.vectors)


@pytest.mark.parametrize("suffix", ["safetensors", "vec", "bin", "npy"])
def test_files_come_back(model, tmp_path, suffix):
    path = tmp_path / f"m.{suffix}"
    model.save(path)
    again = psdvec.load(path)
    assert again.index_to_key == model.index_to_key
    assert np.allclose(again.vectors, model.vectors, atol=1e-5)
    with pytest.raises(psdvec.OptionError, match="suffix"):
        model.save(tmp_path / "m.unknown")


def test_smaller_files(model, tmp_path):
    model.save(tmp_path / "small.safetensors", precision="int8", dim=10)
    small = psdvec.load(tmp_path / "small.safetensors")
    assert small.vector_size == 10 and small.info["precision"] == "int8"
    assert small.vectors.dtype == np.float32


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(FileNotFoundError):
        psdvec.load(tmp_path / "none")
    (tmp_path / "junk").write_bytes(b"\0" * 100)
    with pytest.raises(psdvec.FormatError):
        psdvec.load(tmp_path / "junk")


def test_pickle_and_copy(model, documents):
    in_memory = psdvec.train(documents, dim=5, min_count=1)
    weak = in_memory.with_spelling(0.5)
    assert not np.array_equal(weak.vectors, in_memory.vectors)
    for original in (model, in_memory, weak, copy.copy(weak)):
        for again in (pickle.loads(pickle.dumps(original)), copy.copy(original),
                      copy.deepcopy(original)):
            assert np.array_equal(again.vectors, original.vectors)


def _near(model):
    return model.most_similar("saxa", topn=3)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(model, method):
    model.most_similar("saxa")  # the threads of this process do not exist in a forked one
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_near, [model] * 3) == [_near(model)] * 3


def test_a_forked_process_frees_nothing_of_its_parent(documents):
    in_memory = psdvec.train(documents, dim=5, min_count=1, threads=2)
    context = psdvec._context.Context({"threads": 2})  # stays alive until the child drops it
    path = in_memory.path
    child = os.fork()
    if child == 0:
        del in_memory, context
        gc.collect()
        os._exit(0)
    for _ in range(100):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
    assert done and status == 0
    assert os.path.exists(path)


def test_views_outlive_their_model(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    other = psdvec.load(tmp_path / "m.safetensors")
    handle = weakref.ref(other._handle)
    v = other.vectors
    expected = v.sum()
    other.close()
    with pytest.raises(ValueError, match="closed"):
        other.most_similar("saxa")
    assert "closed" in repr(other)
    del other
    gc.collect()
    assert v.sum() == expected and handle() is not None
    del v
    gc.collect()
    assert handle() is None


def test_contexts_are_freed_without_the_garbage_collector():
    gc.disable()
    try:
        context = psdvec._context.Context({"threads": 2})
        gone = weakref.ref(context)
        del context
        assert gone() is None
    finally:
        gc.enable()


def test_temporary_models_are_deleted(documents):
    temporary = psdvec.train(documents, dim=5, min_count=1)
    path = temporary.path
    assert os.path.exists(path)
    del temporary
    gc.collect()
    assert not os.path.exists(path)


@pytest.mark.skipif(bool(os.environ.get("SANITIZE")), reason="the sanitizer keeps freed memory")
def test_memory_stays_flat(model, documents, tmp_path):
    model.save(tmp_path / "m.safetensors")
    psdvec.count(documents[:50], tmp_path / "c.safetensors", min_count=1)
    (tmp_path / "junk").write_bytes(b"\0" * 100)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    def descriptors():
        return len(os.listdir("/proc/self/fd"))
    opens = 10000 if os.environ.get("PSDVEC_TEST_LONG") else 1500
    for i in range(opens):
        other = psdvec.load(tmp_path / "m.safetensors")
        other.most_similar("saxa")
        counts = psdvec.load_counts(tmp_path / "c.safetensors")
        assert "saxa" in counts
        with pytest.raises(psdvec.FormatError):
            psdvec.load(tmp_path / "junk")
        if i == 500:
            before, files = resident(), descriptors()
    assert resident() - before < 500  # pages
    assert descriptors() == files


AT_EXIT = """
import sys, threading
import psdvec
model = psdvec.load(sys.argv[1])
counts = psdvec.count(["a b c"] * 9, min_count=1)
in_memory = psdvec.train(["a b c"] * 9, dim=2, min_count=1)
view = in_memory.vectors
cycle = [model, counts]
cycle.append(cycle)
class Keeper:
    model = psdvec.load(sys.argv[1])
    def __del__(self):
        self.model = None
keeper = Keeper()
thread = threading.Thread(target=lambda: model.most_similar("saxa"))
thread.start()
thread.join()
def leave(how):
    local = psdvec.load(sys.argv[1])
    local.most_similar("saxa")
    if how == "exception":
        raise RuntimeError("on purpose")
    if how == "exit":
        sys.exit(7)
print(in_memory.path)
leave(sys.argv[2])
"""


@pytest.mark.parametrize("how, status", [("end", 0), ("exception", 1), ("exit", 7)])
def test_handles_are_closed_when_the_interpreter_ends(model, how, status):
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", AT_EXIT, model.path, how], text=True,
                           capture_output=True, timeout=100,
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert ended.returncode == status, ended.stderr
    said = [line for line in ended.stderr.splitlines() if "leak" not in line.lower()]
    assert said[-1:] == (["RuntimeError: on purpose"] if how == "exception" else []), ended.stderr
    assert not os.path.exists(ended.stdout.strip())  # the temporary model


def test_display(model):
    assert repr(model).count("\n") == 1 and "20 dimensions" in repr(model)
    assert "<table>" in model._repr_html_() and "nearest words" in model._repr_html_()
    assert "saxb" in model.most_similar("saxa")._repr_html_()


def test_evaluation(model, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"s{a}xa\ts{b}x{c}\t{9 if a == b else 1}\n"
                             for a in "abcde" for b in "abcde" for c in "bcd"))
    scores = psdvec.evaluate(model, pairs)
    assert scores[0].test == "pairs" and scores[0].value > .6
    two = psdvec.evaluate([model, model.with_spelling(0)], [pairs])
    assert two.models == [0, 1] and len(two.differences) == 1
    assert psdvec.evaluate(model)[0].known == 0
    assert scores.mistakes == []
    worst = psdvec.evaluate([model, model.with_spelling(0)], [pairs], mistakes=3).mistakes
    assert [one.model for one in worst] == [0, 0, 0, 1, 1, 1]
    assert worst[0].loss >= worst[1].loss >= worst[2].loss > 0
    assert worst[0].expected is None and worst[0].section is None
    assert abs(worst[0].expected_rank - worst[0].answer_rank) / 74 == pytest.approx(worst[0].loss)


def test_report(model, tmp_path):
    one, two, three = model.index_to_key[3:6]
    (tmp_path / "pairs.txt").write_text(f"{one} {two} 9\n{one} {three} 1\n{two} {three} 5\n")
    path = tmp_path / "report.html"
    model.report(path, [one, 0], sets=tmp_path / "pairs.txt", map=20)
    page = path.read_text(encoding="utf-8")
    assert "\x01" not in page and "\x02" not in page and "src=" not in page
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data == model.describe([one, 0], sets=[tmp_path / "pairs.txt"], map=20)
    assert [sample["word"] for sample in data["neighbours"]] == [one, model.index_to_key[0]]
    assert [near[0] for near in data["neighbours"][0]["near"]] == [
        word for word, _ in model.most_similar(one, topn=8)]
    assert len(data["map"]["words"]) == 20 and "pairs" in {score["set"] for score in data["scores"]}
    assert "What to cite" in page.split('<pre id="text">')[1].split("</pre>")[0]
    with pytest.raises(KeyError):
        model.report(path, ["no-such-word"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pairs.txt", "report.html"]
