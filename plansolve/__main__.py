"""`python -m plansolve`: the command of that name, for where it is not on the PATH."""

from plansolve.cli.start import main

if __name__ == "__main__":
    main()
