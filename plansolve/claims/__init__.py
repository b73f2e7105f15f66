"""What a plan that somebody claims is worth: legal, in which convention, how far from best."""
