"""Text for people that can be said in another language: English with places for values, which is its key in the
catalogues (`server/translations/`). `server.language` says it in the language of whoever asks."""

from engine.saying import Said, joined, said

__all__ = ["Said", "joined", "said"]
