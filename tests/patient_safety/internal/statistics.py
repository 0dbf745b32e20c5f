"""Named like a module of Python."""


def total(values):
    return sum(values)
