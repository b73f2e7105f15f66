"""Every error that plansolve raises on purpose.

    PlansolveError
    ├── InputError (also ValueError)   something given to plansolve is wrong
    │   ├── BoardError                 a board, a goal or the rules of a puzzle
    │   │   └── GoalError              the goal board given with the board
    │   ├── PlanError                  a plan that cannot be read
    │   ├── ProofError                 a proof or a certificate that cannot be read
    │   ├── ResultError                a result's document that cannot be read
    │   ├── StoreError                 a store of results that cannot be used
    │   └── OptionError                an option, an engine or a back end
    ├── WrongTypeError (also TypeError)  an argument of the wrong type
    ├── EngineError                    an engine died, or cannot be used on this machine
    └── InternalError                  a defect of plansolve: please report it

An unsolvable board is not an error: it is a result.

>>> import plansolve
>>> try:
...     plansolve.solve([[1, 2], [3, 3]], engine="idastar")
... except plansolve.InputError as error:
...     print(type(error).__name__)
BoardError
"""


class PlansolveError(Exception):
    """The base of all errors that plansolve raises on purpose."""


class InputError(PlansolveError, ValueError):
    """Something given to plansolve is wrong; the message says what, where, and what is right."""


class BoardError(InputError):
    """A board, a goal board or the rules of a puzzle cannot be used."""


class GoalError(BoardError):
    """The goal board given with the board cannot be used."""


class PlanError(InputError):
    """A plan cannot be read. (A plan that breaks a rule is a verdict, not an error.)"""


class ProofError(InputError):
    """A proof or a certificate cannot be read. (One that proves nothing is a verdict.)"""


class ResultError(InputError):
    """The document of a result cannot be read, or contradicts itself."""


class StoreError(InputError):
    """A store of results cannot be opened, read or written."""


class OptionError(InputError):
    """An option has a value that cannot be used."""


class WrongTypeError(PlansolveError, TypeError):
    """An argument has the wrong type: a slip in a program, not in data."""


class EngineError(PlansolveError):
    """An engine died, or cannot be used on this machine."""


class InternalError(PlansolveError):
    """A result failed plansolve's own check: a defect of plansolve, never of the input."""
