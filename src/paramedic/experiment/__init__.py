"""What can be run again with one thing changed."""
