"""Labels by scikit-learn: the best of ten runs of k-means, Gaussian mixtures, and spectral clustering. Fuzzy
c-means by NumPy."""

import numpy as np

try:
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.decomposition import PCA
    from sklearn.mixture import GaussianMixture
except ImportError:
    pass


def kmeans(x, k, seed):
    return KMeans(k, n_init=10, random_state=seed).fit_predict(x)


def leading(x, k, seed):
    """At most k-1 principal components."""
    return PCA(max(1, min(k - 1, *x.shape)), random_state=seed).fit_transform(x)


def gaussian(w, k, seed, shape):
    """The best of ten starts."""
    return GaussianMixture(k, covariance_type=shape, n_init=10, random_state=seed).fit(w)


def mixture(x, k, seed):
    """Full covariances, on principal components."""
    w = leading(x, k, seed)
    return gaussian(w, k, seed, "full").predict(w)


def fuzzy(x, k, seed, m=1.5):
    """Memberships of fuzzy c-means (Bezdek 1981) from the centers of k-means, on principal components."""
    x = leading(x, k, seed)
    centers = KMeans(k, n_init=10, random_state=seed).fit(x).cluster_centers_
    squares = (x * x).sum(axis=1)[:, None]
    before = np.inf
    for _ in range(1000):
        d = np.maximum(squares - 2 * x @ centers.T + (centers * centers).sum(axis=1), 1e-12)
        u = (d.min(axis=1)[:, None] / d) ** (1 / (m - 1))
        u /= u.sum(axis=1)[:, None]
        weights = u**m
        loss = (weights * d).sum()
        if loss > before * (1 - 1e-9):
            break
        before = loss
        centers = weights.T @ x / weights.sum(axis=0)[:, None]
    return u


def hard(x, k, seed):
    return np.eye(k)[kmeans(x, k, seed)]


def likely(shape):
    def of(x, k, seed):
        w = leading(x, k, seed)
        return gaussian(w, k, seed, shape).predict_proba(w)

    return of


def spectral(x, k, seed):
    """x has similarities; those below 0, which it does not take, count as 0."""
    return SpectralClustering(k, affinity="precomputed", random_state=seed).fit_predict(x.clip(0))


ways = {"kmeans": kmeans, "mixture": mixture, "spectral": spectral}
# Each returns the probabilities of clusters, a row for each of x.
likelihoods = {"kmeans": hard, "mixture": likely("full"), "tied": likely("tied"), "fuzzy": fuzzy}
