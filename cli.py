"""The commands. Each reads its options, calls the library, and prints what came of it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from . import __version__
from .errors import IsoglossError, OptionError

if TYPE_CHECKING:
    from .builders import BuildResult

__all__ = ["build_corpus", "main"]

app = typer.Typer(
    name="isogloss",
    help="Build, validate, publish and measure on parallel dialect corpora. "
    "Add --debug to any command to see tracebacks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_INTERRUPTED = 130
#: Typer keeps its own copy of click and exports only the leaves of its errors.
_ClickError: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"isogloss {__version__}")
        raise typer.Exit


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
app.add_typer(builds)


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


@app.command()
def hydrate(
    folder: Annotated[Path, typer.Argument(help="A corpus folder in the ids form.")],
    source: Annotated[
        str,
        typer.Option(
            help="A file with the texts by id, of any shape that a build takes: for "
            "TwitterAAE its full file."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The new corpus folder, with the texts.")],
) -> None:
    """Join the texts back to a corpus in its ids form, and list what is missing or changed."""
    from .builders import forms
    from .console import ConsoleProgress, show
    from .summary import form_summary

    with ConsoleProgress() as progress:
        result = forms.hydrate(folder, source=source, out=out, progress=progress)
    show(form_summary(result))


@app.command()
def validate(
    source: Annotated[str, typer.Argument(help="A corpus folder, or a file of pairs.")],
    dialect: Annotated[
        str | None, typer.Option(help="Column of the dialect text; a language code in TMX.")
    ] = None,
    standard: Annotated[
        str | None, typer.Option(help="Column of the standard text; a language code in TMX.")
    ] = None,
    back: Annotated[str | None, typer.Option(help="Column of the back-translation.")] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="Column of row ids; by default `id`.")
    ] = None,
    variety: Annotated[
        list[str] | None,
        typer.Option(
            help="Which dialect it is; or VALUE=NAME, for rows whose column variety says VALUE."
        ),
    ] = None,
    ratings: Annotated[
        str | None, typer.Option(help="File of ratings: item, rater, question, label.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the report.")] = None,
    encoder: Annotated[
        str, typer.Option(help="Measures similarity: hf:NAME, wheel:NAME, or none.")
    ] = "none",
    bertscore: Annotated[
        str, typer.Option(help="Model of the BERTScore: hf:NAME, wheel:NAME, or none.")
    ] = "none",
    sentiment: Annotated[
        str,
        typer.Option(help="Labels sentiment: hf:NAME, words: (a word list stands in), or none."),
    ] = "words:",
    examples: Annotated[
        int, typer.Option(min=0, help="Caught rows to show of each gate; 0: no text at all.")
    ] = 3,
    fail_on: Annotated[
        str, typer.Option(help="Exit with 1 if a check says so: fail, look or never.")
    ] = "never",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one per core.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of examples, bootstrap and raters' numbers.")] = 0,
) -> None:
    """Say what a parallel corpus is worth: gates, texts, scores and raters' agreement."""
    from .console import ConsoleProgress, show
    from .summary import quality_summary
    from .validation import quality

    fails = quality.fails_on(fail_on)
    models = quality.load_models(encoder=encoder, bertscore=bertscore, sentiment=sentiment)
    folder = quality.report_folder(source, out)
    with ConsoleProgress() as progress:
        pairs = quality.open_pairs(
            source,
            columns=quality.Columns(dialect, standard, back, id_column),
            variety=variety or (),
        )
        found = quality.validate(
            pairs,
            models=models,
            ratings=ratings,
            examples_per_gate=examples,
            seed=seed,
            workers=workers or quality.cores(),
            progress=progress,
        )
    quality.write_report(found, folder)
    show(quality_summary(found, folder))
    if found.verdict in fails:
        raise typer.Exit(1)


@app.command()
def evaluate(
    data: Annotated[
        str | None, typer.Option(help="A corpus folder, or a data set on the Hub.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model to evaluate, hf:FOLDER_OR_HUB_ID; may be given several times."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.")] = None,
    tasks: Annotated[
        list[str] | None, typer.Option(help="Tasks, several times or with commas; by default all.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of the corpus.")] = "evaluation",
    subset: Annotated[str | None, typer.Option(help="Config of the data set.")] = None,
    limit: Annotated[
        int | None, typer.Option(help="Sample so many rows by a seeded hash of their ids.")
    ] = None,
    overlong: Annotated[
        str, typer.Option(help="Contexts beyond the model's window: raise, or cut from the left.")
    ] = "raise",
    config: Annotated[Path | None, typer.Option(help="By default ./isogloss.toml.")] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Of the bootstrap.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the sample and the bootstrap.")] = 0,
    max_cost: Annotated[
        float | None, typer.Option(help="Most that models may cost, over all calls of the run.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Most tokens, read and written, over all calls of the run.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what a model failed to answer.")
    ] = False,
    list_tasks: Annotated[bool, typer.Option("--list", help="List the tasks.")] = False,
) -> None:
    """Measure how a language model treats the two sides of a corpus."""
    from . import evaluation
    from .console import ConsoleProgress, output, show, table
    from .models.budget import Limits
    from .models.config import load_config
    from .summary import evaluation_summary

    if list_tasks:
        rows = [(one.name, one.version, one.summary) for one in evaluation.tasks().values()]
        output.print(table("Tasks", ["name", "version", "what it measures"], rows))
        return
    for name, value in (("--data", data), ("--model", model), ("--out", out)):
        if not value:
            raise OptionError("a run needs it", where=name, remedy="give it")
    chosen = evaluation.chosen_tasks([n for given in tasks or () for n in given.split(",")])
    with ConsoleProgress() as progress:
        corpus = evaluation.load_corpus(str(data), split=split, config=subset)
        results = evaluation.evaluate(
            corpus,
            list(dict.fromkeys(model or ())),
            chosen,
            out=Path(str(out)),
            limit=limit,
            seed=seed,
            config=load_config(config),
            overlong=overlong,
            resamples=resamples,
            limits=Limits(max_cost, max_tokens),
            retry_failed=retry_failed,
            progress=progress,
        )
    show(evaluation_summary(results, Path(str(out))))


@app.command()
def varieties(
    name: Annotated[str | None, typer.Argument(help="One variety, by id or any alias.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Only this cluster.")] = None,
) -> None:
    """List the varieties, or show one."""
    from .console import output
    from .summary import varieties_table, variety_details

    if name and cluster:
        raise OptionError(
            "one variety has no other cluster", where="--cluster", remedy="leave it out"
        )
    output.print(variety_details(name) if name else varieties_table(cluster))


@app.command()
def journal(
    folder: Annotated[Path, typer.Argument(help="A corpus folder, built or being built.")],
    export: Annotated[Path | None, typer.Option(help="Write answers as a .parquet file.")] = None,
    rescue: Annotated[bool, typer.Option("--rescue", help="Save a damaged journal.")] = False,
) -> None:
    """Look into the journal of model answers: counts, failures by reason, spend."""
    from .console import show
    from .summary import journal_summary

    show(journal_summary(folder, export=export, save=rescue))


def _guarded(name: str, command: Callable[..., Any], arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    given = [argument for argument in given if argument != "--debug"]
    try:
        result = command(args=given, prog_name=name, standalone_mode=False)
    except IsoglossError as error:
        if debug:
            raise
        typer.echo(str(error), err=True)
        return error.exit_status
    except _ClickError as error:
        hint = getattr(getattr(error, "ctx", None), "command_path", name)
        said = error.format_message().rstrip(".")
        typer.echo(f"error[usage]: {said}. See {hint} --help.", err=True)
        return int(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        result = _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; there is nobody to tell
        return 1
    except Exception as error:
        if debug:
            raise
        typer.echo(
            f"error[bug]: {type(error).__name__}: {' '.join(str(error).split())[:300]}. This is a "
            "mistake in isogloss: please report it with what --debug prints.",
            err=True,
        )
        return 1
    if result == _INTERRUPTED:  # typer turns Ctrl-C into this status
        typer.echo("stopped; finished blocks and answers are kept", err=True)
    return result if isinstance(result, int) else 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs ``isogloss`` and leaves the process with its exit status."""
    sys.exit(_guarded("isogloss", typer.main.get_command(app).main, arguments))


def build_corpus(arguments: Sequence[str] | None = None) -> None:
    """Runs ``build-corpus``, which is ``isogloss build``."""
    sys.exit(_guarded("build-corpus", typer.main.get_command(builds).main, arguments))


if __name__ == "__main__":
    main()
