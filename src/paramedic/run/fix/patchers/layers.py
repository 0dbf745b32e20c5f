"""The lines that make layers, and the functions called in `forward`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import libcst as cst

from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.fix.source import Source, argument, called, expression, number
from paramedic.run.places import Place

Element = TypeVar("Element", cst.Arg, cst.BaseElement)
_FUNCTIONS = {
    "softmax": ("softmax",), "logsoftmax": ("log_softmax",), "sigmoid": ("sigmoid",),
    "relu": ("relu",), "tanh": ("tanh",), "softplus": ("softplus",),
}  # fmt: skip


def output_activation(job: Job) -> Iterator[Patch]:
    """The function at the end of the net goes, or another takes its place."""
    function = str(job.finding.evidence.get("output_function", "")).lower()
    wanted = str(job.remedy.args.get("function", "nn.Identity()"))
    for layer in reversed(job.record.chart.layers):
        if layer.activation == function and layer.name in job.record.layers:
            source = job.source(job.record.layers[layer.name])
            line = job.record.layers[layer.name].line
            made = source.at(line, cst.Call, called(layer.kind))
            if made is not None:
                yield job.patch(source, _without(source, made, wanted))
                return
    if "Identity" in wanted:
        yield from _function_removed(job, function)


def _without(source: Source, made: cst.Call, wanted: str) -> str:
    """Without a layer: an element of a list just goes, all else becomes an identity."""
    element = source.parent(made)
    holder = None if element is None else source.parent(element)
    if "Identity" not in wanted:
        return source.replaced((made, expression(wanted)))
    if isinstance(element, cst.Arg) and isinstance(holder, cst.Call):
        args = _kept(holder.args, element)
        return source.replaced((holder, holder.with_changes(args=args)))
    if isinstance(element, cst.Element) and isinstance(holder, cst.List):
        kept = _kept(holder.elements, element)
        return source.replaced((holder, holder.with_changes(elements=kept)))
    assert isinstance(made.func, cst.Attribute | cst.Name)
    prefix = f"{source.code(made.func.value)}." if isinstance(made.func, cst.Attribute) else "nn."
    return source.replaced((made, expression(f"{prefix}Identity()")))


def _kept(elements: Sequence[Element], gone: cst.CSTNode) -> list[Element]:
    """Without one of them; what becomes the last ends as the last did."""
    kept = [one for one in elements if one is not gone]
    if kept and elements[-1] is gone:
        kept[-1] = kept[-1].with_changes(comma=elements[-1].comma)
    return kept


def _function_removed(job: Job, function: str) -> Iterator[Patch]:
    """`F.softmax(x, dim=1)` or `x.softmax(1)` → `x`, in each `forward` of the user's."""
    for source in _sources(job):
        for call in source.all(cst.Call, called(*_FUNCTIONS.get(function, ()))):
            if not _is_in_forward(source, call) or not isinstance(call.func, cst.Attribute):
                continue
            owner = source.code(call.func.value)
            is_method = owner not in (
                "F",
                "torch",
                "functional",
                "nn.functional",
                "torch.nn.functional",
            )
            inner = call.func.value if is_method else call.args[0].value
            yield job.patch(source, source.replaced((call, inner)))


def _is_in_forward(source: Source, node: cst.CSTNode) -> bool:
    return any(
        isinstance(one, cst.FunctionDef) and one.name.value == "forward"
        for one in source.around(node)
    )


def _sources(job: Job) -> list[Source]:
    places = [*job.record.layers.values(), *job.record.places.values()]
    return [job.source(place) for place in {place.file: place for place in places}.values()]


def replace_activation(job: Job) -> Iterator[Patch]:
    """Other activations, with a normalisation before each where the net is deep."""
    old, new = str(job.remedy.args.get("old")), str(job.remedy.args.get("new"))
    names = job.remedy.args.get("layers", ())
    places = [job.record.layers[name] for name in names if name in job.record.layers]
    for source, calls in _made(job, places, old):
        if job.remedy.args.get("norm"):
            normalised = _normalised(source, calls, str(job.remedy.args["norm"]), new)
            if normalised is not None:
                yield job.patch(source, normalised)
        plain = [(call, _renamed(call, new)) for call in calls]
        yield job.patch(source, source.replaced(*plain))
    if not places:
        yield from _functions_replaced(job, old.lower(), new)


def _made(job: Job, places: Iterable[Place], kind: str) -> Iterator[tuple[Source, list[cst.Call]]]:
    """The calls that made layers of a kind, by file."""
    lines: dict[str, set[int]] = {}
    for place in places:
        lines.setdefault(place.file, set()).add(place.line)
    for file, numbers in lines.items():
        source = job.source(Place(file, 0))
        found = [
            one for line in sorted(numbers) for one in source.all_at(line, cst.Call, called(kind))
        ]
        if found:
            yield source, found


def _renamed(call: cst.Call, new: str) -> cst.Call:
    func = call.func
    changed = (
        func.with_changes(attr=cst.Name(new)) if isinstance(func, cst.Attribute) else cst.Name(new)
    )
    return call.with_changes(func=changed, args=[])


def _normalised(source: Source, calls: list[cst.Call], norm: str, new: str) -> str | None:
    """`nn.LazyBatchNorm1d(), nn.ReLU()` for each activation in a list of layers: a lazy layer
    finds its width by itself."""
    changes: list[tuple[cst.CSTNode, cst.CSTNode]] = []
    lazy = f"Lazy{norm}" if norm.startswith("BatchNorm") else ""
    if not lazy:
        return None
    elements = [source.parent(call) for call in calls]
    for holder in {id(source.parent(one)): source.parent(one) for one in elements if one}.values():
        if isinstance(holder, cst.Call):
            args = [part for one in holder.args for part in _doubled(one, calls, lazy, new)]
            changes.append((holder, holder.with_changes(args=args)))
        elif isinstance(holder, cst.List):
            kept = [part for one in holder.elements for part in _doubled(one, calls, lazy, new)]
            changes.append((holder, holder.with_changes(elements=kept)))
        else:
            return None
    return source.replaced(*changes)


def _doubled(
    element: cst.Arg | cst.BaseElement, calls: list[cst.Call], lazy: str, new: str
) -> list[cst.CSTNode]:
    call = element.value
    if not any(call is one for one in calls):
        return [element]
    assert isinstance(call, cst.Call)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    first = element.with_changes(value=_renamed(call, lazy), comma=comma)
    return [first, element.with_changes(value=_renamed(call, new))]


def _functions_replaced(job: Job, old: str, new: str) -> Iterator[Patch]:
    """`torch.sigmoid(…)` → `torch.relu(…)`, in each `forward`."""
    word = {"relu": "relu", "leakyrelu": "leaky_relu", "tanh": "tanh"}.get(new.lower())
    if word is None:
        return
    for source in _sources(job):
        changes = [
            (call.func, call.func.with_changes(attr=cst.Name(word)))
            for call in source.all(cst.Call, called(old))
            if _is_in_forward(source, call) and isinstance(call.func, cst.Attribute)
        ]
        if changes:
            yield job.patch(source, source.replaced(*changes))


def more_dropout(job: Job) -> Iterator[Patch]:
    """A larger share of values dropped, where dropouts are made with a number."""
    by, most = job.remedy.args.get("by"), job.remedy.args.get("most")
    if not isinstance(by, int | float) or not isinstance(most, int | float):
        return
    for source in _sources(job):
        changes = []
        for call in source.all(cst.Call, called("Dropout", "Dropout2d", "Dropout1d")):
            given = argument(call, "p", 0)
            share = None if given is None else number(given.value)
            if given is not None and share is not None:
                changes.append((given.value, expression(f"{min(share + by, most):.2g}")))
        if changes:
            yield job.patch(source, source.replaced(*changes))
