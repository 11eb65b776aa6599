"""Mail that comes in. `reading` makes a letter of bytes, `commands` finds what it orders; both are given text and touch nothing."""
