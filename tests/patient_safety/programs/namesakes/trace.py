"""The numbers of the steps, in a list."""

STEPS = []


def note(step):
    STEPS.append(step)
