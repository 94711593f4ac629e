"""Starts, drains, watches and ends the bots of one referee process, and leaves nothing of them.

Runs as a program of its own, `python -I -S keeper FD PARENT`, with the standard library alone and
one thread: the referee uses gRPC, and a process that does must not fork. Requests and events are
JSON, one a line, over the socket FD. The end of that socket, however the referee came to close it,
ends every bot at once.

Requests: `spawn` (id, argv, cwd, env, mark, keep, and what `Kept` may use), `kill` (id, grace_ms,
settle_ms: for how long what it has started may run on after it), `freeze` and `thaw` (id), `tail`
(id, ask, size), `shutdown`. Events: `started`, `failed`, `inside` (the process that a sandbox
began), `family` (the processes it is made of), `exited` (the program itself has ended), `gone`
(nothing that it started is left, or which pids are, and which ran on for as long as they might),
`tail` (the end of its standard error).
"""
