"""Engines that turn bounded-horizon planning into formulas, and raise the horizon."""
