"""Why each clause of a formula holds for a shortest plan, by code that no encoder uses.

The legend of a formula says what each variable means of a plan. Whoever wrote it need not be
trusted: if every clause is true of a plan under *some* meanings of the variables, a formula without
a model shows that there is no such plan. `formula.justify` decides for each clause whether it is
true, under the stated meanings, of every plan of the length in question, or at least of the
shortest plan that comes first in the order of its walk or of its operators (see `duplicates`).
There is no need to know which encoding or lemma the clause came from.
"""
