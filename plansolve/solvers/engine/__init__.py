"""The funnel: choosing engines, running them side by side, one result."""
