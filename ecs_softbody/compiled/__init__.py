"""What the build puts here: the library of kernels, the extension that calls it, and
`kernels.json`, their list.
"""
