"""NumPy, SciPy and scikit-learn as peers, driven by the Go program.

One JSON request a line comes in, one answer a line goes out; every answer has
the request's result or "error". The number of threads is set by the
environment, before NumPy is loaded.
"""

import json
import platform
import sys
import time
import warnings

import numpy as np

import cluster
import unmix

try:
    import scipy
    import scipy.linalg
    import scipy.linalg.blas
except ImportError:
    scipy = None
try:
    import sklearn
    from sklearn.decomposition import PCA
except ImportError:
    sklearn = None

warnings.simplefilter("ignore")  # they would only be mixed with the progress


def simplex(w, u, mean, k):
    """Centers and memberships: the regular simplex around the ball around W."""
    b = np.zeros((k, k - 1))  # Helmert contrasts
    for j in range(k - 1):
        f = j + 1.0
        b[: j + 1, j] = 1 / np.sqrt(f * (f + 1))
        b[j + 1, j] = -f / np.sqrt(f * (f + 1))
    s = np.sqrt(np.einsum("ij,ij->i", w, w).max() * k * (k - 1))
    g = w @ (b.T / s)
    g += 1 / k
    f = (s * b) @ u.T
    f += mean
    return f, g


def leading(gram, p):
    """The p leading eigenvalues and eigenvectors, ascending."""
    m = len(gram)
    if scipy is None:
        values, vectors = np.linalg.eigh(gram)
        return values[m - p :], vectors[:, m - p :]
    return scipy.linalg.eigh(gram, subset_by_index=[m - p, m - 1], overwrite_a=True, check_finite=False)


def fit_numpy(x, k):
    """Algorithm 1 by the Gram matrix of the smaller side and its leading part."""
    n, d = x.shape
    mean = x.mean(axis=0)
    c = x - mean
    if n >= d:
        gram = c.T @ c  # NumPy knows this for a dsyrk
        total = np.trace(gram)
        values, u = leading(gram, k - 1)
        w = c @ u
    else:
        gram = c @ c.T
        total = np.trace(gram)
        values, t = leading(gram, k - 1)
        sigma = np.sqrt(values)
        u = c.T @ (t / sigma)
        w = t * sigma
    f, g = simplex(w, u, mean, k)
    return f, g, total - values.sum(), ""


def fit_sklearn(x, k):
    """PCA as it comes; the seed makes its random solver the same in every run."""
    pca = PCA(n_components=k - 1, random_state=0)
    w = pca.fit_transform(x)
    f, g = simplex(w, pca.components_.T, pca.mean_, k)
    return f, g, None, str(getattr(pca, "_fit_svd_solver", ""))


fits = {"numpy": fit_numpy, "sklearn": fit_sklearn}


def kernel(name, n, d, b):
    """A call of the kernel, and how often it does the work."""
    rng = np.random.default_rng(1)
    if name == "dot":
        # Stacked vectors, all the same one: NumPy calls ddot in a loop in C, so
        # that what a call from Python costs does not count.
        times = 1000
        x = np.broadcast_to(rng.standard_normal(n), (times, 1, n))
        y = np.broadcast_to(rng.standard_normal(n)[:, None], (times, n, 1))
        out = np.empty((times, 1, 1))
        return lambda: np.matmul(x, y, out=out), times
    x = rng.standard_normal((n, d))
    if name == "gram":
        if scipy is None:
            out = np.empty((d, d))
            return lambda: np.matmul(x.T, x, out=out), 1
        xt, out = x.T, np.zeros((d, d), order="F")  # no copies: xt is in Fortran's order
        return lambda: scipy.linalg.blas.dsyrk(1.0, xt, c=out, overwrite_c=1), 1
    if name == "mul":
        w, out = rng.standard_normal((d, b)), np.empty((n, b))
        return lambda: np.matmul(x, w, out=out), 1
    if name == "mulT":
        y, out = rng.standard_normal((n, b)), np.empty((d, b))
        return lambda: np.matmul(x.T, y, out=out), 1
    return None, 0


def hello(r):
    about = "Python " + platform.python_version() + ", NumPy " + np.__version__
    if scipy is not None:
        about += ", SciPy " + scipy.__version__
    if sklearn is not None:
        about += ", scikit-learn " + sklearn.__version__
    try:
        import threadpoolctl

        for lib in threadpoolctl.threadpool_info():
            if lib["user_api"] == "blas":
                about += "; %s %s on %s threads" % (lib["internal_api"], lib["version"], lib["num_threads"])
    except ImportError:
        pass
    return {"about": about, "sklearn": sklearn is not None}


class State:
    x = None
    k = 0


def load(r):
    State.x = None  # not two at a time
    State.x = np.fromfile(r["path"], dtype="<f8").astype(np.float64, copy=False).reshape(r["n"], r["d"])
    State.k = r["k"]
    return {}


def solve(r):
    start = time.perf_counter()
    f, g, floor, how = fits[r["way"]](State.x, State.k)
    seconds = time.perf_counter() - start
    f.astype("<f8").tofile(r["f"])
    g.astype("<f8").tofile(r["g"])
    return {"seconds": seconds, "floor": floor, "how": how}


def repeat(r):
    fit, x, k = fits[r["way"]], State.x, State.k
    start = time.perf_counter()
    for _ in range(r["count"]):
        fit(x, k)
    return {"seconds": time.perf_counter() - start}


def time_kernel(r):
    call, times = kernel(r["kernel"], r["n"], r["d"], r["b"])
    if call is None:
        return {"seconds": 0}
    call()
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        seconds = time.perf_counter() - start
        if seconds >= r["seconds"]:
            return {"seconds": seconds / (count * times)}
        count = min(10 * count, int(1.2 * count * r["seconds"] / max(seconds, 1e-9)) + 1)


def time_unmix(r):
    start = time.process_time()
    x = unmix.closed(State.x) if r["close"] else State.x
    f = unmix.ways[r["way"]](x, State.k, **r["options"])
    if r["open"]:
        f = unmix.closed(f)
        g = unmix.nonneg_ls(State.x, f)
    else:
        g = unmix.simplex_ls(State.x, f)
    seconds = time.process_time() - start
    f.astype("<f8").tofile(r["f"])
    g.astype("<f8").tofile(r["g"])
    return {"seconds": seconds}


def time_labels(r):
    start = time.process_time()
    labels = cluster.ways[r["way"]](State.x, State.k, r["seed"])
    return {"seconds": time.process_time() - start, "labels": labels.tolist()}


def time_likely(r):
    start = time.process_time()
    p = cluster.likelihoods[r["way"]](State.x, State.k, 0)
    seconds = time.process_time() - start
    p.astype("<f8").tofile(r["path"])
    return {"seconds": seconds, "labels": p.argmax(axis=1).tolist()}


ops = {
    "hello": hello,
    "load": load,
    "solve": solve,
    "repeat": repeat,
    "kernel": time_kernel,
    "unmix": time_unmix,
    "label": time_labels,
    "likely": time_likely,
}

for line in sys.stdin:
    try:
        request = json.loads(line)
        answer = ops[request["op"]](request)
    except Exception as e:
        answer = {"error": "%s: %s" % (type(e).__name__, e)}
    print(json.dumps(answer), flush=True)
