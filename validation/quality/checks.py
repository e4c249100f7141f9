"""The lines of a report: what is held against limits, and with which n."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...corpus.varieties import varieties
from ...stats import Estimate
from ..agreement import AgreementReport
from ..gates import gates
from ..sentiment import Sentiment
from .pairs import Pairs
from .screening import GateCount, Screened
from .texts import Duplicates, Lengths, Likeness
from .unasked import unasked
from .verdicts import VERDICTS, Check, judge, share_of, without_verdict

__all__ = ["all_checks"]

_AC1 = "gwet_ac1"


def all_checks(
    pairs: Pairs,
    screened: Screened,
    length: Lengths,
    repeated: Duplicates,
    alike: Likeness,
    labelled: Sequence[tuple[str, Sentiment]],
    agreement: AgreementReport | None,
) -> Iterator[Check]:
    """Yields every check that the measured values allow."""
    n = pairs.frame.height
    only = pairs.varieties[0] if len(pairs.varieties) == 1 else ""
    yield judge(
        "unreadable",
        share_of(pairs.refused.total, n + pairs.refused.total),
        note=", ".join(f"{reason} {count:,}" for reason, count in pairs.refused.counts.items()),
    )
    for gate in gates():
        counts = [count for count in screened.counts if count.code == gate.code]
        yield _gate_check(gate.code, counts)
    yield judge("repeated_ids", share_of(repeated.ids, n), variety=only)
    yield judge("duplicate_pairs", share_of(repeated.pairs, n), variety=only)
    yield judge(
        "near_identical",
        share_of(alike.identical + alike.near, n),
        variety=only,
        note=f"{alike.identical:,} of them identical",
    )
    yield judge("length_ratio", _median(length), variety=only)
    for found in screened.markers:
        name = f" ({varieties()[found.variety].name})" if len(pairs.varieties) > 1 else ""
        residual = judge(
            "residual_markers", share_of(found.residual, found.rows), variety=found.variety
        )
        yield replace(residual, title=residual.title + name)
        if found.back:
            survived = judge(
                "surviving_markers",
                share_of(found.survived, found.marked, reason="no text is marked"),
                variety=found.variety,
                note=f"{found.same:,} with the same feature",
            )
            yield replace(survived, title=survived.title + name)
    yield from _sentiment_checks(labelled)
    yield from _agreement_checks(agreement)


def _gate_check(code: str, counts: Sequence[GateCount]) -> Check:
    """One line for a gate: over all pairs, with the verdict of the variety that is worst off."""
    check = f"gate.{code}"
    title = f"Gate {code}"
    asked = [count for count in counts if count.n]
    whole = _share(check, asked, title=title, reason=_why_not(counts))
    by_variety = {
        variety: _share(check, [c for c in asked if c.variety == variety], variety, title=title)
        for variety in dict.fromkeys(count.variety for count in asked)
    }
    if not by_variety:
        return whole
    variety, worst = max(
        by_variety.items(), key=lambda one: (VERDICTS.index(one[1].verdict), one[1].value.value)
    )
    if len(by_variety) == 1:
        return worst
    name, caught = varieties()[variety].name, sum(c.caught for c in asked if c.variety == variety)
    note = f"{name}: {caught:,} of {worst.value.n:,}"
    # What is too little in each variety may be enough in all of them together; where a variety
    # has limits of its own, all together have none.
    together = {one.limits for one in by_variety.values()} == {whole.limits}
    if together and VERDICTS.index(whole.verdict) >= VERDICTS.index(worst.verdict):
        says_it_alone = worst.verdict == whole.verdict != "pass"
        if not says_it_alone:
            return whole
        return replace(whole, note="; ".join(filter(None, (note, whole.note))))
    return replace(
        whole,
        held=worst.held,
        held_value=worst.held_value,
        limits=worst.limits,
        verdict=worst.verdict,
        note="; ".join(filter(None, (note, worst.note))),
    )


def _why_not(counts: Sequence[GateCount]) -> str:
    """Why a gate was asked of nobody, in a line; the page has all of it."""
    first, *more = [*unasked(counts)] or ["no pairs"]
    return f"{first}; and {len(more)} more reasons" if len(more) > 1 else "; ".join([first, *more])


def _share(
    check: str,
    counts: Sequence[GateCount],
    variety: str = "",
    *,
    title: str,
    reason: str = "",
) -> Check:
    caught, n = sum(count.caught for count in counts), sum(count.n for count in counts)
    return judge(check, share_of(caught, n, reason=reason), variety=variety, title=title)


def _median(length: Lengths) -> Estimate:
    found = length.ratio
    return Estimate(
        value=found.median,
        n=found.n,
        clusters=found.n,
        reason="no pair has text on both sides" if math.isnan(found.median) else "no interval",
    )


def _sentiment_checks(labelled: Sequence[tuple[str, Sentiment]]) -> Iterator[Check]:
    for _, found in labelled:
        for compared in found.comparisons:
            same = sum(row[place] for place, row in enumerate(compared.confusion))
            kappa = "κ not defined" if math.isnan(compared.kappa) else f"κ {compared.kappa:.2f}"
            left = sum(compared.left_out.values())
            notes = [
                kappa,
                f"{left:,} left out" if left else "",
                str(found.classifier.get("note", "")),
            ]
            check = judge(
                f"sentiment_{compared.column}",
                share_of(same, compared.n, reason="no pair has two labels"),
                note="; ".join(filter(None, notes)),
            )
            language = f" ({found.classifier['model']})" if len(labelled) > 1 else ""
            check = replace(check, title=check.title + language)
            # Rough labels are mostly neutral, and agree on that: no reason to let a corpus pass.
            yield without_verdict(check) if found.classifier.get("note") else check


def _agreement_checks(agreement: AgreementReport | None) -> Iterator[Check]:
    if agreement is None:
        return
    known = sum(one.ratings + one.missing + one.repeated for one in agreement.questions)
    yield judge(
        "unknown_items", share_of(agreement.unknown_ratings, known + agreement.unknown_ratings)
    )
    for question in agreement.questions:
        value = question.measures[_AC1]
        reason = value.reason if math.isnan(value.value) else None
        notes = [*([reason] if reason else []), *question.warnings]
        check = judge("agreement", value, note=". ".join(notes))
        yield replace(check, title=f"{check.title}: {question.question}")
