"""A bot without the SDK, for what the SDK does not let happen. Its argument says what it does.

empty: answers with empty messages. other_id: answers with another decision's number. status:
fails every call. wrong_nonce, wrong_version, hostile_words: misbehaves in the handshake.
two_at_once: answers every question twice. ends_stream: closes the stream instead of answering.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as pb_grpc

KIND, STYLE = sys.argv[1], sys.argv[2]
VERSIONS = {
    "wrong_version": ["moon.v0"],
    "hostile_words": ["\x1b]0;pwned\x07"] + ["moon.v0\n"] * 5000,
}


def first_legal(decision):
    answer = pb.Answer(match_id=decision.match_id, decision_number=decision.decision_number)
    prompt = decision.WhichOneof("prompt")
    legal = getattr(decision, prompt).ListFields()[0][1]
    setattr(answer, prompt, legal[0])
    return answer


def answer_to(decision):
    answer = first_legal(decision)
    if KIND == "empty":
        return pb.Answer()
    if KIND == "no_choice":
        return pb.Answer(match_id=decision.match_id, decision_number=decision.decision_number)
    if KIND == "other_id":
        answer.decision_number += 1000
    return answer


class Raw(pb_grpc.BotServiceServicer):
    def GetBotInfo(self, request, context):
        return pb.GetBotInfoResponse(
            nonce="someone else" if KIND == "wrong_nonce" else request.nonce,
            name="raw",
            protocol_versions=VERSIONS.get(KIND, ["moon.v1"]),
            max_batch=8,
            serves_play=STYLE == "stream",
        )

    def Decide(self, request, context):
        if KIND == "status":
            context.abort(grpc.StatusCode.INTERNAL, "no idea\x1b[2J")
        if KIND == "empty":
            return pb.DecideResponse()
        return pb.DecideResponse(answer=answer_to(request.decision))

    def Play(self, requests, context):
        for request in requests:
            if KIND == "ends_stream":
                return
            if KIND == "status":
                context.abort(grpc.StatusCode.INTERNAL, "no idea\x1b[2J")
            answers = [answer_to(decision) for decision in request.decisions]
            yield pb.PlayResponse(answers=answers * (2 if KIND == "two_at_once" else 1))


server = grpc.server(ThreadPoolExecutor(4))
pb_grpc.add_BotServiceServicer_to_server(Raw(), server)
server.add_insecure_port(os.environ["MOON_BOT_LISTEN"])
server.start()
time.sleep(600)
