"""Hyperparameter search: hopeless trials end early, for a reason; good ones are spared."""
