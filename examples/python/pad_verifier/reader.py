"""Section "Messages": envelopes and bodies. What is not the one encoding of something is refused."""

from .refusal import Refused, require

LONGEST_KEY, LONGEST_VALUE = 4096, 1 << 24


class Reader:
    """Reads from the front of a body."""

    def __init__(self, body):
        self.body, self.place = body, 0

    def take(self, length):
        taken = self.body[self.place : self.place + length]
        require(len(taken) == length, "the message ends too early")
        self.place += length
        return taken

    def byte(self):
        return self.take(1)[0]

    def number(self, below=1 << 64):
        first = self.byte()
        if first <= 250:
            number = first
        else:
            require(first <= 253, "a number begins with a byte of no meaning")
            width = 2 << first - 251
            number = int.from_bytes(self.take(width), "little")
            least = 251 if width == 2 else 1 << 4 * width
            require(number >= least, "a number is longer than it need be")
        require(number < below, "a number is too great")
        return number

    def byte_string(self, longest=None):
        length = self.number()
        require(longest is None or length <= longest, "a key or value is too long")
        return self.take(length)

    def key(self):
        return self.byte_string(LONGEST_KEY)

    def value(self):
        return self.byte_string(LONGEST_VALUE)

    def list(self, read, most=None):
        length = self.number()
        require(length <= len(self.body), "a list is longer than its message")
        require(most is None or length <= most, "a list is longer than it can be")
        return [read() for _ in range(length)]

    def optional(self, read):
        flag = self.byte()
        require(flag <= 1, "an optional is neither there nor not")
        return read() if flag else None

    def variant(self, readers):
        number = self.number()
        require(number < len(readers), "there is no such variant")
        return number, readers[number]()

    def end(self):
        require(self.place == len(self.body), "the message does not end where it should")


def open_message(message, kind, context, longest):
    """A reader of the body of a message of this kind and context."""
    require(len(message) <= longest, "the message is too long")
    require(len(message) >= 8, "there is no envelope")
    require(message[:4] == b"PAD1", "this is no message")
    require(message[4] == 1, "this is another version of the format")
    require(message[5] == kind, f"the message is of kind {message[5]}, not {kind}")
    require(int.from_bytes(message[6:8], "big") == context, "the message has another context")
    return Reader(message[8:])


__all__ = ["Reader", "Refused", "open_message"]
