"""An offer of another protocol with a body, to every route of the provider."""

from urllib.parse import urlsplit

from tests.support.hostile.every_route import answered_otherwise, taking_a_body
from tests.support.service.sign_in import SignIn

FEWEST = 40


def test_an_offer_changes_no_answer_of_the_provider(sign_in: SignIn) -> None:
    """Each request is answered once, as without it; the next one gets its own answer."""
    host = urlsplit(sign_in.settings.issuer).netloc

    routes = taking_a_body(sign_in.app)

    assert len(routes) >= FEWEST
    assert answered_otherwise(sign_in.app, routes, host) == {}
