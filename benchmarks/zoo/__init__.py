"""The zoo: training runs whose sickness, or health, is known because it was built in.

A `Plan` says how a run goes; a sick run is a sound plan (`bases.py`) with something replaced, so
every sick run has a twin that differs only in the fault. `catalogue.py` collects the recipes and
holds what is promised of them: every sickness in both halves, and no pair of architecture and
data set in both, so that detectors are judged on kinds of runs they were not tuned on.

`record.py` trains the runs under `paramedic.watch` and writes a trace of each and a manifest with
the truth; `record.py --check` compares the sick with their twins.

`sick/`, `healthy/` and `wider/` hold the tuning half, with seeds below 20. `judging/` holds the
judging half, with seeds from 20 on; several of its architectures were tuned on since and count as
tuning (`half_of` in `recipe.py`), and `judging/second/`, with seeds from 40 on, `judging/third/`,
with seeds from 60 on, and `judging/fourth/`, with seeds from 90 on, took their place, as did the
later fillings, of which `judging/eighth/`, with seeds from 260 on, is the last. To add a run,
add a line to a file of the half it belongs to.
"""
