"""``isogloss build``: a command for each builder, made of the builder's signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from .errors import IsoglossError, OptionError

if TYPE_CHECKING:
    from .builders import BuildResult

__all__ = ["builds"]


class _BuilderGroup(TyperGroup):
    """One sub-command per builder, made from the builder's signature when it is asked for."""

    def list_commands(self, _ctx: Any) -> list[str]:
        from .builders import builder_names

        return builder_names()

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """The command of one builder, made of the builder's own options."""
        from .builders import builder

        function = builder(cmd_name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        help_text = (inspect.getdoc(function) or "").partition("\n")[0]
        single.command(cmd_name, help=help_text)(_command_of(cmd_name, function))
        return typer.main.get_command(single)


builds = typer.Typer(
    cls=_BuilderGroup,
    name="build",
    help="Build a corpus: build-corpus NAME --source FILE --out DIR.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@builds.callback(invoke_without_command=True)
def _builds(
    context: typer.Context,
    list_builders: Annotated[bool, typer.Option("--list", help="List the builders.")] = False,
) -> None:
    if list_builders:
        from .builders import builder_names
        from .console import output, table

        rows = [(name, _summary_of(name)) for name in builder_names()]
        output.print(table("Builders", ["name", "what it builds"], rows))
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _summary_of(name: str) -> str:
    """A builder's line in the list; for one that can't be loaded, why not."""
    from .builders import builder

    try:
        return (inspect.getdoc(builder(name)) or "").partition("\n")[0]
    except IsoglossError as error:
        return error.what


_FROM = "The folder of the built corpus that --form is made of; it is only read."
#: Options of every build beside its own, --out and --dry-run: name, type, help, default.
_SHARED: tuple[tuple[str, Any, str, Any], ...] = (
    ("workers", int, "Blocks in work at the same time; changes the speed only.", 1),
    ("max_cost", float | None, "Most that models may cost, over all runs into --out.", None),
    ("max_tokens", int | None, "Most tokens, read and written, over all runs into --out.", None),
    ("retry_failed", bool, "Ask again what a model failed to answer, and only that.", False),
)


def _command_of(builder: str, function: Callable[..., Any]) -> Callable[..., None]:
    """A command with the builder's options, those of its forms, and those that every build has."""
    from .builders import builder_forms

    forms = builder_forms(builder)
    needed: list[str] = []

    def command(*, context: typer.Context, out: Path, dry_run: bool, **options: Any) -> None:
        form, full = options.pop("form", None), options.pop("from_", None)
        if form is not None or full is not None:
            _run_form(builder, context, form=form, full=full, out=out)
            return
        _require(needed, options)
        shared = {name: options.pop(name) for name, *_ in _SHARED}
        _run_build(function(**options), out=out, dry_run=dry_run, **shared)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("context", keyword, annotation=typer.Context)]
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        kind, text = hints[parameter.name].__origin__, hints[parameter.name].__metadata__[0]
        if forms and parameter.default is inspect.Parameter.empty:
            needed.append(parameter.name)
            kind, text = kind | None, f"{text} Needed unless --from is given."
            parameter = parameter.replace(default=None)
        parameters.append(parameter.replace(annotation=_option(parameter.name, kind, text)))
    common: tuple[tuple[str, Any, str, Any], ...] = (
        ("out", Path, "The corpus folder.", inspect.Parameter.empty),
        *_SHARED,
        ("dry_run", bool, "Read, select and clean; say what a build would do.", False),
    )
    if forms:
        text = f"Build nothing: make this form of a built corpus: {', '.join(forms)}."
        common += (("form", str | None, text, None), ("from_", Path | None, _FROM, None))
    parameters += [
        inspect.Parameter(label, keyword, annotation=_option(label, kind, text), default=default)
        for label, kind, text, default in common
    ]
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def _option(label: str, kind: Any, text: str) -> Any:
    names = ["--from"] if label == "from_" else []  # a word that Python keeps for itself
    return Annotated[kind, typer.Option(*names, help=text, show_default=True)]


def _require(needed: Sequence[str], options: dict[str, Any]) -> None:
    for name in needed:
        if options[name] is None:
            raise OptionError(
                "a build needs it",
                where=f"--{name.replace('_', '-')}",
                remedy="give it; or make a form of a corpus that is built, with --form and --from",
            )


def _run_form(
    builder: str, context: typer.Context, *, form: str | None, full: Path | None, out: Path
) -> None:
    from .builders import forms
    from .console import ConsoleProgress, show
    from .summary import form_summary

    if full is None or form is None:
        raise OptionError(
            "a form is made from a corpus that is built" if form else "no form is named",
            where=f"--form {form}" if form else "--from",
            remedy="name that corpus' folder with --from" if form else "name one with --form",
        )
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in ("form", "from_", "out") and source and source.name == "COMMANDLINE":
            raise OptionError(
                "it has no meaning for a corpus that is built",
                where=f"--{name.replace('_', '-')}",
                remedy="leave it out, or leave out --form and --from",
            )
    with ConsoleProgress() as progress:
        result = forms.release(builder, form=form, full=full, out=out, progress=progress)
    show(form_summary(result))


def _run_build(
    pipeline: Any,
    *,
    out: Path,
    dry_run: bool,
    workers: int,
    max_cost: float | None,
    max_tokens: int | None,
    retry_failed: bool,
) -> None:
    from . import builders
    from .console import ConsoleProgress, show
    from .models.budget import Limits
    from .summary import build_summary, dry_run_summary

    limits = Limits(max_cost, max_tokens)
    with ConsoleProgress() as progress:
        if dry_run:
            found = builders.dry_run(pipeline, progress, limits=limits)
            printed = dry_run_summary(found)
        else:
            result: BuildResult = builders.run(
                pipeline,
                out,
                workers=workers,
                limits=limits,
                retry_failed=retry_failed,
                progress=progress,
            )
            printed = build_summary(result)
    show(printed)
