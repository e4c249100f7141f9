"""Ends the sessions of an account when it gets another password.

Argilla signs people in for days with a token that says who they are and is kept nowhere. Here
it says as well which password it was given for, so that whoever had the old one is out.
"""

from __future__ import annotations

import hashlib
from typing import Any

from argilla_server.contexts import accounts
from argilla_server.security.authentication.db import BearerTokenAuthenticationBackend
from argilla_server.security.authentication.jwt import JWT
from argilla_server.security.authentication.userinfo import UserInfo
from starlette.authentication import AuthCredentials

__all__ = ["end_with_the_password"]

_CLAIM = "password"


def end_with_the_password() -> None:
    """Gives tokens that are good for one password, and takes no others."""
    accounts.generate_user_token = _token
    BearerTokenAuthenticationBackend.authenticate = _authenticate


def _token(user: Any) -> str:
    return str(JWT.create({**_info(user), _CLAIM: _mark(user)}))


async def _authenticate(backend: Any, request: Any) -> tuple[AuthCredentials, Any] | None:
    given = await backend.scheme(request)
    if not given:
        return None
    claims = JWT.decode(given.credentials)
    user = await accounts.get_user_by_username(request.state.db, claims.get("username"))
    if not user or claims.get(_CLAIM) != _mark(user):
        return None
    return AuthCredentials(), _info(user)


def _info(user: Any) -> Any:
    return UserInfo(
        identity=str(user.id), name=user.first_name, username=user.username, role=user.role
    )


def _mark(user: Any) -> str:
    """Tells passwords apart, and nothing about them: it is a piece of a hash of a salted hash."""
    return hashlib.sha256(user.password_hash.encode()).hexdigest()[:16]
