"""A running mean; nothing here has to do with the standard library's module of this name."""


class Running:
    def __init__(self):
        self.count, self.mean = 0, 0.0

    def add(self, value):
        self.count += 1
        self.mean += (value - self.mean) / self.count
