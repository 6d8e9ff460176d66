"""A verifier of signed dictionaries, written from docs/format; nothing but Python's standard library.

It shows that the document is enough, and is a start for a binding. It is neither fast nor hardened against
side channels, which a verifier, who has no secrets, need not be.
"""
