"""Bots: what they are, how their processes are started and ended, how they are asked, and timed."""

import os

# gRPC reads these once, when it is imported. It must not install its fork handlers (we start
# programs, and never fork), and what bots do to a connection is for our records, not for its log.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
