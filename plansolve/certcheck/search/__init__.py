"""Search proofs: that no plan has so few moves, shown by a depth-first search that is run again.

A certificate names the patterns, their images, and the walks at which the search is cut into units;
nothing of that need be trusted. The tables are built here from the rules (`pattern_tables`), images
are tested on the operators (`tree_kinds`), words that another one replaces are found by enumeration
(`words`), the list of units is made again and compared, and each unit is searched (`units`). None
of this code is the solver's.
"""
