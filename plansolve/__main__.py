"""`python -m plansolve`: the command of that name, for where it is not on the PATH."""

from plansolve.cli.main import main

if __name__ == "__main__":
    main()
