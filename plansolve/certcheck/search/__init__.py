"""Search proofs: that no plan has so few moves, shown by a depth-first search that is run again.

A certificate names the patterns, their images, and the walks at which the search is cut into units;
none of these need be trusted. The tables are built here from the rules (`pattern_tables`), images
are tested on the operators (`tree_kinds`), redundant words are found by enumeration (`words`), the
list of units is generated again and compared, and each unit is searched (`units`). The solver
shares none of this code.
"""
