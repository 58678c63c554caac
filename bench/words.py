"""scikit-learn's ways for sparse counts, in a process of its own: python3 words.py PREFIX N D K WAY.

Reads the three slices of compressed rows from PREFIX.indptr, .indices and .data, and prints
the seconds of processor time of the fit, the squared error and the peak memory of the process. Of NMF and LDA
it prints labels, too, and writes the components to PREFIX.centers.
"""

import json
import resource
import sys
import time
import warnings

import numpy as np
import scipy.sparse
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD

warnings.simplefilter("ignore")  # NMF stops at its limit of iterations


def fit(way, x, k):
    """Weights W and components H of X ≈ WH."""
    if way == "NMF":
        model = NMF(k, init="nndsvd", random_state=0)
    elif way == "LDA":
        model = LatentDirichletAllocation(k, random_state=0, n_jobs=1)
    else:
        model = TruncatedSVD(k, algorithm=way, random_state=0)
    return model.fit_transform(x), model.components_


def squared_error(x, w, h):
    """‖X − WH‖², without filling in X's zeros."""
    return x.multiply(x).sum() - 2 * ((x @ h.T) * w).sum() + ((w.T @ w) * (h @ h.T)).sum()


prefix, n, d, k, way = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
read = [np.fromfile(prefix + end, kind) for end, kind in ((".data", "<f8"), (".indices", "<i8"), (".indptr", "<i8"))]
x = scipy.sparse.csr_matrix(tuple(read), shape=(n, d))
start = time.process_time()
w, h = fit(way, x, k)
seconds = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
out = {"seconds": seconds, "error": float(squared_error(x, w, h)), "peak": peak}
if way in ("NMF", "LDA"):
    h.astype("<f8").tofile(prefix + ".centers")
    out["labels"] = np.argmax(w * h.sum(axis=1) if way == "NMF" else w, axis=1).tolist()
print(json.dumps(out))
