"""Why each clause of a formula holds for every plan, by code that no encoder uses.

The legend of a formula says what each variable means of a plan. Its writer need not be trusted: if
every clause is true of a plan under *some* meanings of the variables, a formula without a model
shows that there is no such plan. `formula.justify` decides for each clause whether it is true,
under the stated meanings, of every plan of the length in question. There is no need to know which
encoding or lemma the clause came from.
"""
