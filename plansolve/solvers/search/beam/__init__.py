"""Beam search at rising widths: short plans, no proof."""
