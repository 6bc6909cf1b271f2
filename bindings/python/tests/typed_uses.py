"""Typical uses of the package, for mypy --strict: it is checked, never executed.

A line with "type: ignore" must be an error, because mypy reports an ignore that has no effect.
"""

from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

import psdvec


def texts() -> Iterator[str]:
    yield "a text"


def training() -> psdvec.Model:
    psdvec.train("wiki.txt.zst", dim=300, min_count=20, memory="4G", threads="all")
    psdvec.train([Path("a.txt"), Path("b.txt")], "m.safetensors", preset="paper", mu=[0.1, 0.2])
    psdvec.train([["a", "token", "list"], ["another"]], spelling="off", centre=False)
    psdvec.train(["a text", None, float("nan")], language="de", progress=False)
    psdvec.train(texts(), keep=["a", "b"], tempdir=Path("."), window=None)
    psdvec.train(texts(), dim="many")  # type: ignore[arg-type]
    psdvec.train(texts(), preset="best")  # type: ignore[arg-type]
    psdvec.train(texts(), min_cont=3)  # type: ignore[call-arg]
    psdvec.train(3)  # type: ignore[arg-type]

    def show(progress: psdvec.Progress) -> None:
        print(progress.stage, progress.done / progress.total)
    psdvec.baseline(texts(), "sgns", epochs=5, progress=show)
    psdvec.baseline(texts(), "word3vec")  # type: ignore[arg-type]
    return psdvec.train(psdvec.count(texts(), window=10).path, dim=50)


def queries(model: psdvec.Model) -> None:
    near: List[Tuple[str, float]] = model.most_similar("king", topn=5)
    model.most_similar(positive=["king", ("woman", 0.5)], negative=["man", model["boy"]])
    cosines: npt.NDArray[np.float32] = model.most_similar("king", topn=None)
    model.most_similar("king", topn="five")  # type: ignore[call-overload]
    many: List[psdvec.Neighbours] = model.most_similar_many(["king", "queen"])
    vectors: npt.NDArray[np.float32] = model.vectors
    index: Dict[str, int] = model.key_to_index
    number: Optional[int] = model.find("king")
    cosine: float = model.similarity("king", 3)
    same: psdvec.Model = model.wv
    count: int = model.wv.vocab["king"].count
    odd = model.doesnt_match(["a", "b", "c"])
    model.analogy("man", "king", "woman", method="mul")
    print(near, cosines, many, vectors, index, number, cosine, same, count, odd)


def operations(model: psdvec.Model) -> None:
    more: psdvec.Model = model.extend(texts(), min_count=3)
    more.save("m.vec", precision="int8", dim=100)
    more.save("m.vec", precision="int9")  # type: ignore[arg-type]
    for score in model.evaluate(["wordsim.csv"], seed=1):
        print(score.test, score.value + score.low)
    document = psdvec.score([model, more], ["a text"]).total
    print(document.perplexity[0], document.posterior)
    words: List[str] = model.generate("a", length=10, seed=3)
    model.next_words(words, topn=3)[0][0].upper()
    try:
        psdvec.load("none")
    except psdvec.NotFoundError as error:
        print(error.status, error.filename)


def estimator() -> None:
    from psdvec.sklearn import PsdvecVectorizer
    vectorizer = PsdvecVectorizer(dim=100, smoothing=None).fit(["a text", ["a", "list"]])
    model: psdvec.Model = vectorizer.model_
    PsdvecVectorizer(dim="many")  # type: ignore[arg-type]
    PsdvecVectorizer(model=model)
    psdvec.sklearn.PsdvecVectorizer().transform([None])
