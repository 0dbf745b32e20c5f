"""Our catalogue: one file per sickness. A new file here is a new detector; nothing else changes."""
