from __future__ import annotations

import math

from paramedic.hpo.summary import TrialStory, summarize


def story(
    number: int, decision: str, epoch: int, value: float = math.nan, **more: object
) -> TrialStory:
    verdict = {
        "decision": decision, "cause": "dying-relu" if decision == "stop" else "", "epoch": epoch,
        "epochs": epoch, "seconds": 2.0 * epoch, "planned": 10, **more,
    }  # fmt: skip
    return TrialStory(number, verdict, not math.isnan(value), value)


def test_what_was_ended_why_and_what_it_saved() -> None:
    told = summarize(
        [
            story(0, "continue", 10, 1.0),
            story(1, "stop", 2),
            story(2, "finished", 8, 2.0),
            story(3, "stop", 0, cause="non-finite", seconds=1.0),
        ]
    )
    assert told.stopped == {"dying-relu": 1, "non-finite": 1}
    assert told.finished == 1
    # 8 and 2 epochs of two seconds, and 10 of a trial whose own pace is not known.
    assert told.saved == 8 * 2 + 2 * 2 + 10 * 2
    assert told.lost == ()
    assert "2 of 4 trials were stopped, 1 were finished early." in str(told)
    assert "Time saved: about 40 s of 81 s (49%)" in str(told)


def test_a_shadow_names_the_good_trials_it_would_have_lost() -> None:
    stories = [story(number, "continue", 10, float(number), shadow=True) for number in range(1, 9)]
    stories += [story(0, "stop", 3, 0.0, shadow=True, epochs=10, seconds=20.0)]
    told = summarize(stories)
    assert told.lost == (0,)
    assert told.saved == 7 * 2
    assert "best tenth) that would have been lost: 0" in str(told)


def test_an_empty_study_has_nothing_to_tell() -> None:
    assert str(summarize([])) == "0 of 0 trials were stopped, 0 were finished early."
