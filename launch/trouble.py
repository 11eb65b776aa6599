"""What ends a start and is for the person who started to mend."""


class Trouble(Exception):
    """Printed as one plain message, without a traceback."""
