"""The table as a picture: SVG from a template, PNG out of that. It is given a view, so it can't show more than one.

`layout` says what stands where, `server/templates/drawing/table.svg` how it looks; the icons are paths, never characters.
"""

from server.services.drawing.picture import png, svg

__all__ = ["png", "svg"]
