"""The commands of ``isogloss annotate``: thin, like all commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["annotate"]

annotate = typer.Typer(
    help="Let speakers judge a corpus in their browser: serve, push, status, pull.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Home = Annotated[
    Path | None,
    typer.Option(help="Folder of the embedded server; by default in your user data."),
]
_Url = Annotated[
    str | None,
    typer.Option(help="Address of a hosted Argilla; its owner's key is in ARGILLA_API_KEY."),
]
_Corpus = Annotated[Path, typer.Argument(help="A corpus folder.")]
_Name = Annotated[
    str | None, typer.Option("--project", help="Its name on the server; by default the corpus'.")
]
_Questions = Annotated[
    Path | None,
    typer.Option(help="A file with questions of your own, in TOML; by default the corpus' own."),
]


@annotate.command()
def serve(
    home: _Home = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any.")] = 6900,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Another name that the server is called by, for example by a proxy."),
    ] = None,
    session_days: Annotated[float, typer.Option(help="How long somebody stays signed in.")] = 14,
    backup_minutes: Annotated[
        float, typer.Option(min=0, help="Time between backups; 0: only one when it stops.")
    ] = 15,
) -> None:
    """Run the annotation server: Argilla, on this machine alone, until Ctrl-C."""
    from .annotation.home import OWNER, open_home
    from .annotation.serving import TOOL, Served, serve_until_stopped
    from .console import ConsoleProgress, errors, output, show
    from .summary_annotation import served_summary
    from .tools import install

    opened = open_home(home, make=True)
    with ConsoleProgress(unit="packages") as progress:
        environment = install(TOOL, progress=progress)

    def started(served: Served) -> None:
        open_to_all = host not in ("127.0.0.1", "localhost", "::1")
        show(served_summary(served, OWNER, open_to_all=open_to_all))

    backup = serve_until_stopped(
        opened,
        environment,
        host=host,
        port=port,
        names=allow_host or (),
        session_days=session_days,
        backup_minutes=backup_minutes,
        started=started,
        failed=lambda error: errors.print(str(error)),
    )
    output.print("stopped" + (f"; backup: {backup}" if backup else ""), soft_wrap=True)


@annotate.command()
def push(
    corpus: _Corpus,
    raters: Annotated[str, typer.Option(help="Names of the raters, with commas.")],
    project: _Name = None,
    sample: Annotated[
        int | None, typer.Option(help="So many items, drawn from each stratum; by default all.")
    ] = None,
    min_raters: Annotated[
        int | None, typer.Option("--min", help="So many raters answer each item.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="One split; by default all.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    questions: _Questions = None,
    home: _Home = None,
    url: _Url = None,
) -> None:
    """Bring the items of a corpus to the raters; pushing again adds what is missing."""
    from .annotation.connection import connect
    from .annotation.items import read_items
    from .annotation.naming import chosen_project, remember
    from .annotation.people import rater_names
    from .annotation.push import push as push_items
    from .console import ConsoleProgress, show
    from .summary_annotation import account_line, pushed_summary

    names = rater_names(raters)
    asked = chosen_project(corpus, name=project, questions=questions)
    items = read_items(corpus, asked, split=split, sample=sample, seed=seed)
    with ConsoleProgress(unit="items") as progress:
        pushed = push_items(
            connect(home=home, url=url),
            asked,
            items,
            raters=names,
            min_raters=min_raters,
            progress=progress,
            made=lambda rater: show(account_line(rater)),
        )
    remember(corpus, asked, questions)
    show(pushed_summary(pushed))


@annotate.command()
def pull(
    corpus: _Corpus,
    project: _Name = None,
    questions: _Questions = None,
    all_statuses: Annotated[
        bool, typer.Option("--all", help="Drafts and discarded answers as well.")
    ] = False,
    min_labels: Annotated[
        int, typer.Option(min=1, help="Fewest labels of an item for a verdict.")
    ] = 1,
    home: _Home = None,
    url: _Url = None,
) -> None:
    """Bring the answers into the corpus: labels, agreement, verdict columns."""
    from .annotation.connection import connect
    from .annotation.merge import merge as merge_labels
    from .annotation.naming import chosen_project
    from .annotation.pull import pull as pull_labels
    from .console import show
    from .summary_annotation import merged_summary, pulled_summary

    asked = chosen_project(corpus, name=project, questions=questions)
    pulled = pull_labels(connect(home=home, url=url), asked, all_statuses=all_statuses)
    show(pulled_summary(pulled))
    merged = merge_labels(corpus, pulled.labels, asked, min_labels=min_labels, sample=pulled.sample)
    show(merged_summary(merged))


@annotate.command()
def merge(
    corpus: _Corpus,
    project: _Name = None,
    questions: _Questions = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Label Studio's export in JSON; by default the corpus' own labels."),
    ] = None,
    min_labels: Annotated[
        int, typer.Option(min=1, help="Fewest labels of an item for a verdict.")
    ] = 1,
) -> None:
    """Write verdict columns again from labels that lie with the corpus, or came by a file."""
    from .annotation.label_studio_answers import read_export
    from .annotation.merge import merge as merge_labels
    from .annotation.naming import chosen_project
    from .console import show
    from .summary_annotation import merged_summary

    asked = chosen_project(corpus, name=project, questions=questions)
    given = None if labels is None else read_export(labels, asked)
    show(merged_summary(merge_labels(corpus, given, asked, min_labels=min_labels)))


@annotate.command()
def status(
    corpus: Annotated[Path | None, typer.Argument(help="A corpus folder.")] = None,
    project: _Name = None,
    home: _Home = None,
    url: _Url = None,
) -> None:
    """Show how far each rater is, and how many answers each question has."""
    from .annotation.connection import connect
    from .annotation.naming import chosen_names
    from .annotation.progress import project_progress
    from .console import show
    from .summary_annotation import progress_summary

    connection = connect(home=home, url=url)
    for name in chosen_names(connection, corpus, project):
        show(progress_summary(name, project_progress(connection, name)))


@annotate.command()
def export(
    corpus: _Corpus,
    out: Annotated[Path, typer.Option(help="A new folder.")],
    project: _Name = None,
    sample: Annotated[
        int | None, typer.Option(help="So many items, drawn from each stratum; by default all.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="One split; by default all.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    questions: _Questions = None,
) -> None:
    """Write the same project as files for Label Studio."""
    from .annotation.items import read_items
    from .annotation.label_studio import export as export_items
    from .annotation.naming import chosen_project
    from .console import show
    from .summary_annotation import exported_summary

    asked = chosen_project(corpus, name=project, questions=questions)
    items = read_items(corpus, asked, split=split, sample=sample, seed=seed)
    export_items(items, asked, out)
    show(exported_summary(out, len(items.items), items.left_out))


@annotate.command()
def password(
    name: Annotated[str, typer.Argument(help="A rater's account, or owner.")],
    home: _Home = None,
    url: _Url = None,
) -> None:
    """Give an account a new password."""
    from .annotation.connection import connect
    from .annotation.people import reset_password
    from .console import show
    from .summary_annotation import password_summary

    show(password_summary(reset_password(connect(home=home, url=url), name)))


@annotate.command()
def backup(
    home: _Home = None,
    to: Annotated[Path | None, typer.Option(help="The file; by default one in backups/.")] = None,
) -> None:
    """Copy the server's database, also while it runs."""
    from .annotation.backups import backup as back_up
    from .annotation.home import open_home
    from .console import output

    output.print(f"backup: {back_up(open_home(home), to)}", soft_wrap=True)


@annotate.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    home: _Home = None,
) -> None:
    """Put a backup in the place of the database; what is there is backed up first."""
    from .annotation.backups import check_backup
    from .annotation.backups import restore as put_back
    from .annotation.home import open_home
    from .console import output

    check_backup(file)
    before = put_back(open_home(home, make=True), file)
    kept = f"; what was there is in {before}" if before else ""
    output.print(f"{file} is restored{kept}", soft_wrap=True)
