"""Networks that no other filling has."""
