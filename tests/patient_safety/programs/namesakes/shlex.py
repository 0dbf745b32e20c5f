"""A list of words."""

WORDS = ["shell", "lexicon"]
