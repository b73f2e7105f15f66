"""IDA*: depth-first rounds below a rising bound, for blank graphs and for free operators."""
