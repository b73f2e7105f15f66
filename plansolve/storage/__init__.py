"""The cache folder: tables and compiled kernels that later runs use again."""
