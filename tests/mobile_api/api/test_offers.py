"""An offer of another protocol with a body, to every route of the mobile API."""

from urllib.parse import urlsplit

from tests.support.hostile.every_route import answered_otherwise, taking_a_body
from tests.support.service.mobile_api import PUBLIC_URL, MobileWorld

FEWEST = 25


def test_an_offer_changes_no_answer_of_the_mobile_api(world: MobileWorld) -> None:
    """Each request is answered once, as without it; the next one gets its own answer."""
    app = world.application()
    routes = taking_a_body(world.applications[-1])

    assert len(routes) >= FEWEST
    assert answered_otherwise(app, routes, urlsplit(PUBLIC_URL).netloc) == {}
