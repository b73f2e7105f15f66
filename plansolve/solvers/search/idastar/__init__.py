"""IDA*: depth-first rounds within a rising f-limit, for blank graphs and for free operators."""
