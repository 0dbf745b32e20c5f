"""The judging half: networks and data on which nobody has tuned a detector.

Whoever changes a detector looks at the tuning half (`zoo/sick`, `zoo/healthy`) and leaves this one
alone; once detectors have been changed because of what was seen here, it is no longer fit to judge
them, joins the tuning half and gives way to a new one.
"""
