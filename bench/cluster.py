"""Labels by scikit-learn: the best of ten runs of k-means, a Gaussian mixture, and spectral clustering."""

try:
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.decomposition import PCA
    from sklearn.mixture import GaussianMixture
except ImportError:
    pass


def kmeans(x, k, seed):
    return KMeans(k, n_init=10, random_state=seed).fit_predict(x)


def mixture(x, k, seed):
    """Full covariances, on at most k-1 principal components, the best of ten starts."""
    p = max(1, min(k - 1, *x.shape))
    w = PCA(p, random_state=seed).fit_transform(x)
    return GaussianMixture(k, n_init=10, random_state=seed).fit_predict(w)


def spectral(x, k, seed):
    """x has similarities; those below 0, which it does not take, count as 0."""
    return SpectralClustering(k, affinity="precomputed", random_state=seed).fit_predict(x.clip(0))


ways = {"kmeans": kmeans, "mixture": mixture, "spectral": spectral}
