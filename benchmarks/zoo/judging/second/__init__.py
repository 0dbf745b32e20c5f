"""The second filling of the judging half: new networks, and new data for those that stayed.

Five architectures of the first filling were tuned on and joined the tuning half (`TUNED_ON` in
`recipe.py`); these runs, with seeds from 40 on, took their place. Six of these joined it as well,
and `third` took theirs.
"""
