"""Writes mails: what the recipient may see, in his language, as a finished message with headers.

`about_…` say what a template is filled with, `templates` fills it, `mime` puts text, page and picture together, `writing`
reads as the story of one letter. To add a kind: a template in `server/templates/mail/<language>/`, and a line in
`writing.ABOUT` if it is not about the table of a game."""

from server.services.letters.writing import Written, write

__all__ = ["Written", "write"]
