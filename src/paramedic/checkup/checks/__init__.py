"""Our checks: one file each. A new file here is a new check; nothing else changes."""
