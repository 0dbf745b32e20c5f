"""One page without any escaping."""


def page(mean):
    return f"<p>{mean:.6f}</p>"
