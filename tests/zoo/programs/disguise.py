"""Says that it is somebody else, or answers with what somebody else said."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from _zoo import play, tried
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as pb_grpc


class Replayer(pb_grpc.BotServiceServicer):
    """Answers the handshake with the words of an earlier one."""

    def GetBotInfo(self, request, context):
        return pb.GetBotInfoResponse(
            nonce="00000000000000000000000000000000",
            name="honest",
            protocol_versions=["moon.v1"],
            max_batch=8,
        )


def replays():
    tried("answer a handshake with an earlier one")
    server = grpc.server(ThreadPoolExecutor(2))
    pb_grpc.add_BotServiceServicer_to_server(Replayer(), server)
    server.add_insecure_port(os.environ["MOON_BOT_LISTEN"])
    server.start()
    time.sleep(30)


def takes_a_name():
    tried("be taken for another bot")
    play(name="honest", version="9", author="the referee")


def odd_name():
    tried("break what shows its name")
    play(name='"\x1b[31m\u202e\n,;<b>\U0001f600' + "x" * 300, author="\x00\n" * 100)


def honest():
    """Does nothing that it should not."""
    play()


{"replays": replays, "honest": honest, "takes-a-name": takes_a_name, "odd-name": odd_name}[
    sys.argv[1]
]()
