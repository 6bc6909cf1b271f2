"""Pictures of words."""

from typing import Any, List, Sequence, Union

import numpy as np

from ._types import Array


def project(vectors: Array) -> Array:
    """The first two principal components of vectors, one per row.

    The sign of a component is arbitrary; its largest coordinate is positive here, so that the same
    vectors give the same picture everywhere.
    """
    centred = vectors.astype(np.float64) - vectors.astype(np.float64).mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(vectors), 2))
    for k in range(min(2, len(sizes))):
        points[:, k] = left[:, k] * sizes[k]
        if points[np.argmax(np.abs(points[:, k])), k] < 0:
            points[:, k] *= -1
    return points


def _overlap(a: Any, b: Any) -> float:
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return float(max(0.0, width) * max(0.0, height))


# Where a label may be, in points from its point: horizontally, vertically, and its alignment.
_PLACES = [(5, 5, "left", "bottom"), (5, -5, "left", "top"), (-5, 5, "right", "bottom"),
           (-5, -5, "right", "top"), (0, 7, "center", "bottom"), (0, -7, "center", "top"),
           (8, 0, "left", "center"), (-8, 0, "right", "center"), (14, 14, "left", "bottom"),
           (14, -14, "left", "top"), (-14, 14, "right", "bottom"), (-14, -14, "right", "top"),
           (0, 20, "center", "bottom"), (0, -20, "center", "top"), (26, 26, "left", "bottom"),
           (26, -26, "left", "top"), (-26, 26, "right", "bottom"), (-26, -26, "right", "top")]


def _label(ax: Any, points: Array, words: Sequence[str]) -> None:
    """Writes each word beside its point, where it covers other words and points least."""
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    at = ax.transData.transform(points)
    size = 4 * figure.dpi / 72
    from matplotlib.transforms import Bbox
    taken = [Bbox([[x - size, y - size], [x + size, y + size]]) for x, y in at]
    frame = ax.get_window_extent(renderer)
    for word, point in zip(words, points):
        best: Any = None
        for number, (x, y, across, along) in enumerate(_PLACES):
            label = ax.annotate(word, point, (x, y), textcoords="offset points", ha=across, va=along,
                                fontsize=10)
            box = label.get_window_extent(renderer)
            outside = box.width * box.height - _overlap(box, frame)
            cost = sum(_overlap(box, other) for other in taken) + outside + 0.1 * number
            label.remove()
            if best is None or cost < best[0]:
                best = (cost, (x, y, across, along), box)
            if cost < 0.1 * len(_PLACES):
                break
        x, y, across, along = best[1]
        distant = max(abs(x), abs(y)) > 10
        ax.annotate(word, point, (x, y), textcoords="offset points", ha=across, va=along, fontsize=10,
                    arrowprops={"arrowstyle": "-", "color": "#999999", "lw": 0.6} if distant else None)
        taken.append(best[2])


def plot(model: Any, words: Sequence[Union[str, int]], ax: Any = None, *, labels: bool = True,
         **options: Any) -> Any:
    """Draws words by the first two principal components of their vectors.

    Parameters
    ----------
    model : Model
    words : list of str or int
        The words to draw; their vectors alone determine the components.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    labels : bool
        Write the words beside their points.
    **options
        Passed to ``ax.scatter``: color, s, marker, ...

    Returns
    -------
    matplotlib.axes.Axes
    """
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib; install it, for instance with "
                          "'pip install matplotlib'") from error
    listed: List[Union[str, int]] = [words] if isinstance(words, (str, int)) else list(words)
    if len(listed) < 2:
        raise ValueError("plot() needs at least two words")
    vectors = np.vstack([model.get_vector(word, norm=True) for word in listed])
    points = project(vectors)
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8, 6), layout="constrained")
    ax.scatter(points[:, 0], points[:, 1], **{"color": "#4c78a8", "s": 20, **options})
    ax.margins(0.15)
    total = float(((vectors - vectors.mean(axis=0)) ** 2).sum()) or 1.0
    shares = (points ** 2).sum(axis=0) / total
    ax.set_xlabel(f"first component ({100 * shares[0]:.0f} % of the variance)")
    ax.set_ylabel(f"second component ({100 * shares[1]:.0f} %)")
    ax.spines[["top", "right"]].set_visible(False)
    if labels:
        names = [word if isinstance(word, str) else model.index_to_key[word] for word in listed]
        _label(ax, points, names)
    return ax
