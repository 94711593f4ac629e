"""A bot that is wrong in one way, which its argument names, and in no other."""

import atexit
import os
import random
import subprocess
import sys
import time

from moon.v1 import bot_service_pb2 as pb

from referee.sdk import Bot, Kind, serve
from referee.sdk import server as sdk

KIND = sys.argv[1]
KEPT = []


class Odd(Bot):
    name = "odd"

    def decide(self, view):
        if KIND == "leaks":
            KEPT.append(bytearray(os.urandom(256)) * 800)
            return LOTS.choice(view.legal)
        if KIND == "clock":
            return random.Random(time.time_ns()).choice(view.legal)
        if KIND == "revokes" and view.kind is Kind.PLAY and 1 < len(view.legal) < len(view.hand):
            print("I know better", file=sys.stderr, flush=True)
            return next(tile for tile in view.hand if tile not in view.legal)
        return view.legal[0]


LOTS = random.Random(7)


class Strict(sdk.BotService):
    """Does not take what the protocol does not have, as a careless parser does."""

    def Decide(self, request, context):
        known = pb.DecideRequest.FromString(request.SerializeToString())
        known.DiscardUnknownFields()
        if known.ByteSize() != request.ByteSize():
            os._exit(3)
        return super().Decide(request, context)


class Forgets(sdk.BotService):
    """Answers three questions of a batch, and no more."""

    def Play(self, request_iterator, context):
        for response in super().Play(request_iterator, context):
            yield pb.PlayResponse(answers=response.answers[:3])


def linger(child):
    """Takes half a second to end, and ends its child with it."""
    time.sleep(0.5)
    child.kill()
    child.wait()


if KIND == "lingers":
    atexit.register(linger, subprocess.Popen(["sleep", "600"]))
sdk.BotService = {"strict": Strict, "forgets": Forgets}.get(KIND, sdk.BotService)
serve(Odd(), [])
