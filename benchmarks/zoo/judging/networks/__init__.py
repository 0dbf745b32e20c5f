"""The networks of the judging half: none of them is in the tuning half."""
