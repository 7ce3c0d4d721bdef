"""The paper's statements on the eigenvalues of D, checked on kernels of data."""
