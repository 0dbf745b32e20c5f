"""From a finding to something the user can do.

`pharmacist.py` is the door: `prescribe(diagnosis, window)` gives ranked remedies. `remedies/` has
one file per cure or small family of them, `confidence.py` how sure we are of each and why,
`ranking.py` which comes first, `escalation.py` what to do when a problem comes back.
Everything here is a pure function of numbers; nothing here touches a model.
"""
