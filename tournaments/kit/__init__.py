"""What the author of a bot needs: a check of the bot, questions to put to it, and a beginning."""
