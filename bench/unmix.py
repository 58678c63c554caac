"""Published ways to unmix a scene, in NumPy: VCA, SPA, SNPA, minimum volume, MCR-ALS
and archetypes, and NMF by scikit-learn.

All take X (pixels x bands) and k and return k spectra. Abundances are fully
constrained least squares, by simplex_ls, or by nonneg_ls if sums differ.
"""

import numpy as np

try:
    from sklearn.decomposition import NMF
except ImportError:
    pass


def faces(a, b, passive):
    """The least of gAg/2 - bg with sum 1 over the entries that are passive, each row.

    Rows with the same entries share one factorization.
    """
    g = np.zeros_like(b)
    _, kind = np.unique(passive @ (2.0 ** np.arange(b.shape[1])), return_inverse=True)
    for which in range(kind.max() + 1):
        rows = np.flatnonzero(kind == which)
        s = np.flatnonzero(passive[rows[0]])
        inverse = np.linalg.inv(a[np.ix_(s, s)])
        y, h = b[np.ix_(rows, s)] @ inverse, inverse.sum(axis=0)
        g[np.ix_(rows, s)] = y - np.outer((y.sum(axis=1) - 1) / h.sum(), h)
    return g


def simplex_ls(x, f, start=None):
    """min |x - gF| with g >= 0 and sum 1, every row: an active set method, exact.

    start is a feasible G, whose positive entries are the first guess.
    """
    n, k = len(x), len(f)
    center = f.mean(axis=0)
    f = f - center
    a, b = f @ f.T, x @ f.T - f @ center
    size = max(np.trace(a) / k, 1e-300)
    a += size + 1e-13 * size * np.eye(k)  # the constant changes nothing where sums are 1
    tol = 1e-11 * max(size, np.abs(b).max())
    if start is None:
        g = np.zeros((n, k))
        g[np.arange(n), np.argmax(b - np.diag(a) / 2, axis=1)] = 1
    else:
        g = start.copy()
    passive = g > 0
    left = np.arange(n)
    for _ in range(20 * k):
        if len(left) == 0:
            break
        old, on = g[left], passive[left]
        new = faces(a, b[left], on)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(new < 0, old / (old - new), np.inf)
        first = step.argmin(axis=1)
        length = step[np.arange(len(left)), first]
        out = length < 1  # the step ends where the first entry is 0
        if out.any():
            at = left[out]
            moved = old[out] + length[out, None] * (new[out] - old[out])
            moved[np.arange(len(at)), first[out]] = 0
            g[at] = np.maximum(moved, 0)
            passive[at, first[out]] = False
        rest, on, new = left[~out], on[~out], np.maximum(new[~out], 0)
        g[rest] = new
        slope = b[rest] - new @ a
        level = np.where(on, slope, 0).sum(axis=1) / on.sum(axis=1)
        slope = np.where(on, -np.inf, slope - level[:, None])
        best = slope.argmax(axis=1)
        more = slope[np.arange(len(rest)), best] > tol
        passive[rest[more], best[more]] = True
        left = np.concatenate([left[out], rest[more]])
    return g / g.sum(axis=1, keepdims=True)


def unit_rows(x):
    norm = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(norm > 0, norm, 1)


def closed(x):
    """Rows divided by their sums, or by those of absolute values."""
    return x / np.maximum(np.abs(x).sum(axis=1, keepdims=True), 1e-300)


def nonneg_ls(x, f, start=None):
    """min |x - gF| with g >= 0, every row. With rows and F of length 1 g is in the hull of 0
    and of F far out: there a sum of at most 1 binds no row whose F has no negative entries.

    start is a G whose positive entries are the first guess.
    """
    far = 10 * len(f)
    corners = np.vstack([far * unit_rows(f), np.zeros(f.shape[1])])
    if start is not None:
        start = np.column_stack([start > 0, np.ones(len(x))])
        start /= start.sum(axis=1, keepdims=True)
    g = far * simplex_ls(unit_rows(x), corners, start)[:, :-1]
    norm = np.linalg.norm(f, axis=1)
    return g * np.linalg.norm(x, axis=1, keepdims=True) / np.where(norm > 0, norm, 1)


def spa(x, k, unit=False):
    """Successive projections (Araujo et al. 2001; Gillis and Vavasis 2014)."""
    r = unit_rows(x) if unit else x.copy()
    chosen = []
    for _ in range(k):
        norms = np.einsum("ij,ij->i", r, r)
        chosen.append(int(norms.argmax()))
        u = r[chosen[-1]] / np.sqrt(norms[chosen[-1]])
        r = r - np.outer(r @ u, u)
    return x[chosen]


def snpa(x, k, unit=False):
    """Successive nonnegative projections (Gillis 2014): residuals from the hull of the
    chosen rows and 0, in place of residuals from their span."""
    y = unit_rows(x) if unit else x
    r, chosen = y, []
    for _ in range(k):
        chosen.append(int(np.einsum("ij,ij->i", r, r).argmax()))
        hull = np.vstack([y[chosen], np.zeros(y.shape[1])])
        r = y - simplex_ls(y, hull) @ hull
    return x[chosen]


def vca(x, k, unit=False):
    """Vertex component analysis (Nascimento and Bioucas-Dias 2005): the pixel farthest in
    a random direction that is orthogonal to those chosen, k times.

    Pixels lie in k directions and are scaled into a plane there; where the signal is below
    15 + 10 log k decibels they lie in k-1 about their mean, and get a constant. Spectra are
    the chosen pixels in these directions.
    """
    n, mean = len(x), x.mean(axis=0)
    about = np.linalg.eigh((x - mean).T @ (x - mean) / n)[1][:, ::-1]
    total, inside = (x**2).sum() / n, (((x - mean) @ about[:, :k]) ** 2).sum() / n + mean @ mean
    noise = total - inside
    signal = max(inside - k / x.shape[1] * total, 1e-300)
    if noise > 0 and 10 * np.log10(signal / noise) < 15 + 10 * np.log10(k):
        basis = about[:, : k - 1]
        low = (x - mean) @ basis
        y = np.column_stack([low, np.full(n, np.sqrt((low**2).sum(axis=1).max()))])
        back = low @ basis.T + mean
    else:
        basis = np.linalg.eigh(x.T @ x)[1][:, ::-1][:, :k]
        low = x @ basis
        along = low @ low.mean(axis=0)
        y = low / np.where(along > 0, along, np.inf)[:, None]
        back = low @ basis.T
    rng = np.random.default_rng(0)
    chosen, a = [], np.zeros((k, k))
    a[-1, 0] = 1
    for i in range(k):
        w = rng.standard_normal(k)
        f = w - a @ (np.linalg.pinv(a) @ w)
        chosen.append(int(np.abs(y @ f).argmax()))
        a[:, i] = y[chosen[-1]]
    return back[chosen]


def spread(f):
    """Half squares of the centers about their mean: singular vectors and squared values."""
    return np.linalg.eigh((f - f.mean(axis=0)) @ (f - f.mean(axis=0)).T)


def min_volume(x, k, penalty, unit=False, iterations=500, tol=1e-6):
    """|X - GF|^2 + (lambda/2) sum log(s_i^2 + eps), s_i the singular values of the centers
    about their mean: F = (G'G + (lambda/2) D)^-1 G'X and G exact, in turn, from SNPA.

    lambda is penalty times the least error of any k centers, and eps that error a row.
    """
    y = unit_rows(x) if unit else x
    n = len(y)
    centred = y - y.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)
    floor = max(values[: len(values) - k + 1].sum(), 1e-12 * values.sum())
    lam, eps = penalty * floor, floor / n
    f = snpa(y, k)
    g = simplex_ls(y, f)
    total, last, calm = np.einsum("ij,ij->", y, y), np.inf, 0
    for _ in range(iterations):
        values, u = spread(f)
        d = (u[:, 1:] / (np.maximum(values[1:], 0) + eps)) @ u[:, 1:].T  # the first is along 1
        gram, gx = g.T @ g, g.T @ y
        f = np.linalg.solve(gram + lam / 2 * d + 1e-14 * np.trace(gram) * np.eye(k), gx)
        g = simplex_ls(y, f, g)
        error = total - 2 * np.vdot(g.T @ y, f) + np.vdot((g.T @ g) @ f, f)
        loss = error + lam / 2 * np.log(np.maximum(spread(f)[0][1:], 0) + eps).sum()
        calm = calm + 1 if last - loss <= tol * error else 0
        last = loss
        if calm == 2:
            break
    return rescaled(x, f, g) if unit else f


def rescaled(x, f, g):
    """Spectra of unit rows in the data's units: the scales for which abundances add up
    to 1, in least squares. Row i is |x_i| G_i F, so that sum_j |x_i| G_ij t_j = 1."""
    h = g * np.linalg.norm(x, axis=1, keepdims=True)
    t = np.linalg.lstsq(h, np.ones(len(h)), rcond=None)[0]
    least = 1 / np.linalg.norm(x, axis=1).max() / 2
    return f / np.maximum(t, least)[:, None]


def nmf(x, k, unit=False):
    """Nonnegative factors by coordinate descent (HALS: Cichocki and Phan 2009), the best of
    five random starts. Spectra have the scales for which abundances add up to 1, in least
    squares, or (unit) any."""
    x = np.maximum(x, 0)
    fits = [NMF(k, init="random", random_state=s, tol=1e-6, max_iter=2000).fit(x) for s in range(5)]
    best = min(fits, key=lambda fit: fit.reconstruction_err_)
    f = best.components_
    if unit:
        return f
    t = np.linalg.lstsq(best.transform(x), np.ones(len(x)), rcond=None)[0]
    return f / np.where(t > 0, t, 1)[:, None]


def mcr_als(x, k, unit=False, iterations=500, tol=1e-6):
    """Multivariate curve resolution by alternating least squares (Tauler 1995) from SPA:
    abundances and spectra are at least 0. Abundances add up to 1, or (unit) have any sums."""
    f, g, last = spa(x, k), None, np.inf
    for _ in range(iterations):
        g = nonneg_ls(x, f, g) if unit else simplex_ls(x, f, g)
        used = g.any(axis=0)  # a spectrum without abundances stays
        f = f.copy()
        f[used] = nonneg_ls(x.T, g[:, used].T, f[used].T).T
        error = ((x - g @ f) ** 2).sum()
        if last - error <= tol * error:
            break
        last = error
    return f


def archetypes(x, k, unit=False, iterations=100, tol=1e-5):
    """Archetypal analysis (Cutler and Breiman 1994) from SNPA: spectra are mixtures of rows.
    In turn, each is projected to the hull of the rows from where its least error is."""
    y = unit_rows(x) if unit else x
    f, last = snpa(y, k).copy(), np.inf
    for _ in range(iterations):
        g = simplex_ls(y, f)
        r = y - g @ f
        for j in np.flatnonzero(g.any(axis=0)):
            move = g[:, j] @ r / (g[:, j] @ g[:, j])
            new = simplex_ls(f[j : j + 1] + move, y) @ y
            r -= np.outer(g[:, j], new[0] - f[j])
            f[j] = new[0]
        error = (r**2).sum()
        if last - error <= tol * error:
            break
        last = error
    return f


ways = {
    "vca": vca,
    "spa": spa,
    "snpa": snpa,
    "min_volume": min_volume,
    "nmf": nmf,
    "mcr_als": mcr_als,
    "archetypes": archetypes,
}
