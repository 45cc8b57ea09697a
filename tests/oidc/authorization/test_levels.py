"""Which levels a login accepts: client, operator and essential ``acr``."""

import pytest

from oidc.types import Level
from tests.support.service.sign_in import (
    PHONE,
    REDIRECT_URI,
    MakeSignIn,
    essential,
    response_of,
)

ACR = "https://id.example/acr"
DEVICE, STATION, PALM = Level.PALM_AND_PHONE, Level.PALM_AT_STATION, Level.PALM


@pytest.mark.parametrize(
    ("client", "operator", "demand", "accepted"),
    [
        ("", "refuse", None, {DEVICE}),
        ("", "allow", None, {DEVICE}),
        ("", "allow", {DEVICE, STATION, PALM}, {DEVICE}),
        ("", "allow", {PALM}, set()),
        ("", "allow", {STATION}, set()),
        ("", "allow", {"x", DEVICE}, {DEVICE}),
        ("", "allow", {"x"}, set()),
        ("palm_alone", "refuse", None, {DEVICE}),
        ("palm_alone", "refuse", {PALM}, set()),
        ("palm_alone", "allow", None, {DEVICE, PALM}),
        ("palm_alone", "allow", {PALM}, {PALM}),
        ("palm_alone", "allow", {DEVICE}, {DEVICE}),
        ("palm_alone", "allow", {STATION}, set()),
        ("stations", "refuse", None, {DEVICE, STATION}),
        ("stations", "refuse", {STATION, PALM}, {STATION}),
        ("stations palm_alone", "allow", None, {DEVICE, STATION, PALM}),
        ("stations palm_alone", "allow", {STATION, PALM}, {STATION, PALM}),
        ("stations palm_alone", "allow", {Level.SANDBOX}, set()),
    ],
)
def test_a_login_accepts_what_client_operator_and_demand_agree_on(
    make_sign_in: MakeSignIn,
    client: str,
    operator: str,
    demand: set[str] | None,
    accepted: set[Level],
) -> None:
    """Nothing more, and not a login that no person could finish."""
    options = {f"accept_{each}": True for each in client.split()}
    shop = make_sign_in(palm_alone=operator).another("Shop", REDIRECT_URI, **options)
    levels = [f"{ACR}/{each}" for each in demand or ()]
    answer = shop.ask(**({} if demand is None else {"claims": essential(*levels)}))

    if not accepted:
        assert response_of(answer)["error"] == "unmet_authentication_requirements"
        return
    ticket = shop.ticket_on(answer.headers["location"])
    assert set(shop.handoff.claim(ticket, PHONE).accepts) == accepted
