"""`paramedic run`: somebody's own program, watched without a change to it."""
