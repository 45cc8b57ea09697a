"""A camera for ``thenar phone --camera``: it shows the palm of the fake person named."""

import sys
from dataclasses import replace

from engine.types import Hand
from mobile_api.frames import write_frames
from mobile_api.messages import StepMessage
from tests.support.clock import FakeClock
from tests.support.phone.challenges import hand_of


def main() -> None:
    """Answer one step."""
    step = StepMessage.model_validate_json(sys.stdin.read())
    frames = hand_of(int(sys.argv[1]), FakeClock(), Hand.RIGHT)(step)
    # The clock of the tests' service stands still.
    hurried = [replace(each, at_ms=each.at_ms // 4) for each in frames]
    sys.stdout.buffer.write(write_frames(hurried))


if __name__ == "__main__":
    main()
