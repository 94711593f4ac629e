"""The zoo: small programs that misbehave in every known way, and the proof of what becomes of it.

Each is seated at a table with two honest bots, under the real referee. What the zoo promises of it
stands in a catalogue; `judging` compares that with what was seen.
"""
