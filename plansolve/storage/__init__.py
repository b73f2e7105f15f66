"""What is kept between runs: the cache folder, its files, compiled kernels."""
