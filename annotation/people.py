"""Raters: their names, their accounts, and which projects they see."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import AnnotationError, OptionError, ServiceError
from .connection import Connection

__all__ = ["Rater", "accounts_of", "admit", "make_account", "members", "new_password",
           "rater_names", "reset_password"]  # fmt: skip

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,39}")
#: Letters that nobody takes for another one.
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class Rater:
    """Somebody who answers.

    Attributes:
        name: Signs in with it; goes to no file.
        id: The server's.
        password: If the account was made now; it is shown once and stored nowhere.
    """

    name: str
    id: str
    password: str | None = None

    def __repr__(self) -> str:
        return f"Rater({self.id!r})"


def new_password() -> str:
    """A password that can be read out to somebody: 16 letters and digits, 79 bits.

    Example:
        >>> len(new_password())
        19
    """
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))


def rater_names(given: str) -> list[str]:
    """The names in a list with commas.

    Raises:
        OptionError: If there is none, one is no name for an account, or one is there twice.

    Example:
        >>> rater_names("ada, grace,joan")
        ['ada', 'grace', 'joan']
    """
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise OptionError("there is no name", where="--raters", remedy="give some, with commas")
    for name in names:
        if not _NAME.fullmatch(name):
            raise OptionError(
                f"{name!r} can't be an account's name",
                where="--raters",
                remedy="use up to 40 letters, digits, and . _ @ + -",
            )
    folded = [name.casefold() for name in names]
    twice = next((name for name in names if folded.count(name.casefold()) > 1), None)
    if twice:
        raise OptionError(
            f"{twice!r} is there twice", where="--raters", remedy="name every rater once"
        )
    return names


def accounts_of(connection: Connection, names: Sequence[str]) -> dict[str, Rater]:
    """The raters who have an account, by the name in lower case; also written otherwise.

    Args:
        connection: As an owner.
        names: Names, however written.

    Raises:
        OptionError: If an account of that name is an owner's or an admin's, who would see
            everybody's answers.
    """
    wanted = {name.casefold() for name in names}
    found = {}
    for user in connection.request("GET", "/users")["items"]:
        key = user["username"].casefold()
        if key not in wanted:
            continue
        if user["role"] != "annotator":
            raise OptionError(
                f"the account {user['username']!r} is an {user['role']}'s, who sees everybody's "
                "answers",
                where="--raters",
                remedy="choose another name",
            )
        found[key] = Rater(user["username"], user["id"])
    return found


def make_account(connection: Connection, name: str) -> Rater:
    """Makes a rater's account, with a password; or finds the one that somebody made meanwhile."""
    password = new_password()
    given = {"first_name": name, "username": name, "role": "annotator", "password": password}
    try:
        made = connection.request("POST", "/users", json=given)
    except ServiceError:
        known = accounts_of(connection, [name])
        if not known:
            raise
        return known[name.casefold()]
    return Rater(made["username"], made["id"], password)


def admit(connection: Connection, rater: Rater, workspace: str) -> None:
    """Lets a rater into a workspace; does nothing if they are in."""
    if rater.id not in members(connection, workspace):
        connection.request("POST", f"/workspaces/{workspace}/users", json={"user_id": rater.id})


def members(connection: Connection, workspace: str) -> dict[str, str]:
    """The raters of a workspace: names by the server's id."""
    users = connection.request("GET", f"/workspaces/{workspace}/users")["items"]
    return {one["id"]: one["username"] for one in users if one["role"] == "annotator"}


def reset_password(connection: Connection, name: str) -> Rater:
    """Gives an account a new password.

    Raises:
        AnnotationError: If there is no such account.
    """
    users = connection.request("GET", "/users")["items"]
    account = next((one for one in users if one["username"].casefold() == name.casefold()), None)
    if account is None:
        raise AnnotationError(
            "there is no such account",
            where=repr(name),
            remedy="see isogloss annotate status for the names",
        )
    password = new_password()
    connection.request("PATCH", f"/users/{account['id']}", json={"password": password})
    return Rater(account["username"], account["id"], password)
