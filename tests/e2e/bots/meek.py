"""Takes the first legal choice, always."""

from referee.sdk import Bot, serve


class Meek(Bot):
    name = "meek"


if __name__ == "__main__":
    serve(Meek())
