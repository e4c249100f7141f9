"""Starts Argilla's server: migrates its database, makes its owner, serves until told to stop.

Called with one argument, the path of a JSON file with its options; tells its parent that it is
ready, or why it can't be.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from ...tools.inside.channel import say
from ...tools.inside.parent import die_with_parent

__all__ = ["main"]

#: Seconds that open requests get when the server stops.
_GRACE = 10


def main(arguments: list[str]) -> int:
    """Serves; returns the exit status."""
    # Whatever the server writes is for this user alone.
    os.umask(0o077)
    options = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    home = Path(options["home"])
    try:
        listening = _listen(options["host"], options["port"])
    except OSError as error:
        what = f"port {options['port']} of {options['host']} can't be listened on"
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            remedy, option = "choose another --port, or stop what listens there", "--port"
        else:
            remedy, option = "give an address of this machine, as 127.0.0.1 is one", "--host"
        return _refuse(f"{what} ({error.strerror})", remedy, option=option)
    _configure(options, home, listening.getsockname()[1])
    try:
        owner = _prepare(home, options["owner"])
    except _NewerDatabaseError:
        return _refuse(
            "a newer Argilla wrote the database there", "upgrade isogloss, or choose another --home"
        )
    _serve(options, home, listening, owner)
    return 0


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    listening.listen(128)
    return listening


def _configure(options: dict[str, Any], home: Path, port: int) -> None:
    """Settings that Argilla reads when it is imported; none is left to the user's shell."""
    for name in [name for name in os.environ if name.startswith(("ARGILLA_", "OAUTH2_"))]:
        del os.environ[name]
    origins = [f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", options["host"])]
    os.environ |= {
        "ARGILLA_HOME_PATH": str(home),
        "ARGILLA_DATABASE_URL": f"sqlite+aiosqlite:///{home / 'argilla.db'}",
        "ARGILLA_DATABASE_SQLITE_TIMEOUT": "30",
        "ARGILLA_SEARCH_ENGINE": "isogloss",
        "ARGILLA_CORS_ORIGINS": json.dumps(sorted(set(origins))),
        "ARGILLA_AUTH_SECRET_KEY": options["secret_key"],
        "ARGILLA_AUTH_TOKEN_EXPIRATION": str(options["session_seconds"]),
        "ARGILLA_AUTH_OAUTH_CFG": str(home / "no-oauth.yaml"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
    }
    # Argilla copies its pages to a temporary folder at each start, and leaves them there.
    run = home / "run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(mode=0o700)
    tempfile.tempdir = str(run)


class _NewerDatabaseError(Exception):
    """The database was migrated by a newer server."""


def _prepare(home: Path, owner: dict[str, str]) -> bool:
    """Brings database and pages up to date; returns whether the owner was made now."""
    from .hub import leave_out_datasets
    from .jobs import use_fake_redis
    from .writes import use_wal

    leave_out_datasets()
    use_fake_redis()
    use_wal()
    database = str(home / "argilla.db")
    _migrate()
    Path(database).chmod(0o600)
    from . import fulltext, statuses

    fulltext.install(database)
    statuses.bring_up_to_date(database)
    return asyncio.run(_make_owner(owner))


def _migrate() -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError
    from argilla_server.database import ALEMBIC_CONFIG_FILE

    config = Config(ALEMBIC_CONFIG_FILE)
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        if "locate revision" in str(error):
            raise _NewerDatabaseError from error
        raise


async def _make_owner(owner: dict[str, str]) -> bool:
    from argilla_server.contexts import accounts
    from argilla_server.database import AsyncSessionLocal, async_engine
    from argilla_server.enums import UserRole
    from argilla_server.models import User

    try:
        async with AsyncSessionLocal() as db:
            known = await User.get_by(db, role=UserRole.owner, username=owner["name"])
            if known:
                # A database that was restored from another home has another key in it.
                await known.update(db, api_key=owner["api_key"])
                return False
            user = await accounts.create_user(
                db,
                {
                    "first_name": owner["name"],
                    "last_name": None,
                    "username": owner["name"],
                    "role": UserRole.owner,
                    "password": owner["password"],
                },
            )
            # Making a user gives it a key at random; ours is known to the home folder.
            await user.update(db, api_key=owner["api_key"])
            return True
    finally:
        # Its connections belong to this loop, which ends here.
        await async_engine.dispose()


def _serve(options: dict[str, Any], home: Path, listening: socket.socket, made: bool) -> None:
    from . import engine, jobs, pages, privacy, sessions, shortcuts, statuses, writes
    from .reader import Reader

    engine.TablesEngine.reader = Reader(str(home / "argilla.db"))
    import uvicorn

    shortcuts.skip_unheard_events()
    shortcuts.keep_type_adapters()
    statuses.take_turns()
    statuses.recount_at_once(str(home / "argilla.db"))
    privacy.keep_records_whole_from_raters()
    privacy.keep_texts_out_of_the_log()
    sessions.end_with_the_password()
    # Imported last: the application and the copy of its pages are made by this import.
    from argilla_server._app import app

    privacy.keep_progress_of_others_from_raters()
    pages.mend(home / "run")
    hosts = {"127.0.0.1", "localhost", "::1", options["host"], *options["names"]}
    if options["host"] in ("0.0.0.0", "::"):  # noqa: S104
        hosts.add("*")
    reader = engine.TablesEngine.reader

    async def known(dataset: str) -> bool:
        return bool(await reader.rows("SELECT 1 FROM datasets WHERE id = ?", (dataset,)))

    checked = pages.ProjectPages(writes.OneWriter(app), known=known)
    sealed = pages.Sealed(checked, hosts=hosts, policy=pages.policy(home / "run"))

    class Server(uvicorn.Server):  # type: ignore[misc]
        """Tells when it answers, and leaves one file."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            jobs.start_worker(asyncio.get_running_loop())
            port = listening.getsockname()[1]
            say({"ready": {"port": port, "pid": os.getpid(), "owner_made": made}})

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await super().shutdown(sockets)
            writes.into_one_file(str(home / "argilla.db"))

    server = Server(
        uvicorn.Config(
            sealed,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_GRACE,
            lifespan="on",
        )
    )

    def stop() -> None:
        server.should_exit = True

    die_with_parent(stop, grace=_GRACE)
    server.run(sockets=[listening])


def _refuse(what: str, remedy: str, *, option: str = "") -> int:
    say({"error": what, "remedy": remedy, **({"option": option} if option else {})})
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
