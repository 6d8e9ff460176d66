"""How bytes are turned down."""


class Refused(Exception):
    """The bytes do not prove what was asked."""


class Unsupported(Exception):
    """This verifier does not know the scheme: no verdict."""


def require(condition, why):
    """Refuses unless the condition holds."""
    if not condition:
        raise Refused(why)
