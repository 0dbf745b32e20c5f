"""`paramedic run --fix`: remedies as patches of the source, tried before they are offered."""
