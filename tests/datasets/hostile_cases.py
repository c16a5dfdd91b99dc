# SPDX-License-Identifier: MIT
"""What servers do wrong, a line a case: the name, what must be said of it, and the answers."""

# ruff: noqa: E501 (a table is read by its lines)

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Any

from datasets.hostile_server import (
    Answer,
    answer,
    chunked,
    cut,
    part_of,
    silence,
    slowly,
    without_end,
)

CONTENT = b"".join(b"%d::%d::%d\n" % (row % 97, row % 89, row % 5 + 1) for row in range(9_000))
OTHER = CONTENT[::-1]
LIMIT = 1 << 20
BLOCK = b"7" * (1 << 16)
NO_LENGTH: dict[str, Any] = {"Content_Length": None}
DIGITS = "9" * 5_000
PAGE = b"<!DOCTYPE html><title>Sign in</title>"
LOST = f"HTTP/1.1 404 {'gone ' * 10_000}\r\n\r\n".encode()


@dataclass(frozen=True)
class Case:
    """One thing that a server does.

    ``known`` tells whether size and checksum are published, ``name`` what the file is called;
    ``timeout`` and ``time_limit`` are short where only time ends the case.
    """

    what: str
    answers: tuple[Answer, ...]
    said: str
    known: bool = False
    name: str = "ratings.dat"
    timeout: float = 10.0
    time_limit: float = 60.0


def case(what: str, said: str, *answers: Answer, **options: Any) -> Case:
    return Case(what, answers, said, **options)


def to(location: str | bytes) -> bytes:
    return answer(status="302 Found", Location=location)


def page(start: bytes, said: str = "HTML page", **options: Any) -> Case:
    return case(f"page: {start[:24]!r}", said, answer(start + b" and more" * 99), **options)


# fmt: off
REFUSED = [
    case("empty", "is empty", answer(b"")),
    case("empty, checksum known", "is empty", answer(b"", Content_Length=None), known=True),
    case("empty, length 0 known", "announces 0 bytes, but", answer(b""), known=True),
    case("empty in chunks", "is empty", chunked()),
    case("length not told", "does not send the file's length", answer(CONTENT, **NO_LENGTH)),
    case("nothing, length not told", "does not send the file's length", answer(**NO_LENGTH)),

    case("endless, size known", r"more than the expected [\d,]+ bytes", without_end(answer(**NO_LENGTH), BLOCK), known=True),
    case("endless chunks", "more than the 1,048,576 bytes that size_limit", without_end(chunked(end=b""), b"10000\r\n" + BLOCK + b"\r\n")),
    case("endless chunks, size known", r"more than the expected [\d,]+ bytes", without_end(chunked(end=b""), b"10000\r\n" + BLOCK + b"\r\n"), known=True),
    case("one endless chunk", "more than the 1,048,576 bytes that size_limit", without_end(chunked(end=b"fffffffffffffff\r\n"), BLOCK)),
    case("a chunk of size -1", "more than the 1,048,576 bytes that size_limit", without_end(chunked(end=b"-1\r\n"), BLOCK)),
    case("more announced than known", r"announces 5,000,000,000 bytes, but", answer(CONTENT, Content_Length="5000000000"), known=True),
    case("less announced than known", r"announces 10 bytes, but", answer(CONTENT[:10]), known=True),
    case("more announced than allowed", "announces 5,000,000,000 bytes, which is more than the 1,048,576", answer(CONTENT, Content_Length="5000000000")),
    case("another file of the same size", "its sha256 is", answer(OTHER), known=True),

    case("length of 5,000 digits", r"Content-Length '9+\.\.\.' is not a number", answer(CONTENT, Content_Length=DIGITS)),
    case("length of 5,000 digits, known", r"is not a number of bytes", answer(CONTENT, Content_Length=DIGITS), known=True),
    case("length in superscript", r"Content-Length '\\xb2\\xb3' is not a number", answer(CONTENT, Content_Length="²³")),
    case("length in Arabic digits", "is not a number", answer(CONTENT, Content_Length="٣٤".encode())),
    case("length below zero", "'-5' is not a number", answer(CONTENT, Content_Length="-5")),
    case("length with a sign", "is not a number", answer(CONTENT, Content_Length="+5")),
    case("length with underscore", "is not a number", answer(CONTENT, Content_Length="1_000")),
    case("length in hexadecimal", "is not a number", answer(CONTENT, Content_Length="0x10")),
    case("length that is a word", "is not a number", answer(CONTENT, Content_Length="long")),
    case("two lengths", "announces several different lengths", answer(CONTENT, Content_Length="7\r\nContent-Length: 8")),
    case("cut", r"stopped after 1,000 of [\d,]+ bytes", cut(CONTENT, 1_000)),
    case("cut in the first bytes", r"stopped after 5 of [\d,]+ bytes", cut(CONTENT, 5)),
    case("cut at once", "is empty", cut(CONTENT, 0)),

    case("chunk size no number", "the connection was interrupted", chunked(CONTENT, size=b"zz")),
    case("chunk size too long a line", "the connection was interrupted", chunked(CONTENT, size=b"1" * 70_000)),
    case("chunk size of 5,000 digits", "the connection was interrupted", chunked(CONTENT, size=DIGITS.encode())),
    case("last chunk missing", "the connection was interrupted", chunked(CONTENT, end=b"")),
    case("chunk cut", "the connection was interrupted", chunked(end=b"ffff\r\n" + CONTENT[:999])),

    case("no answer", "the connection was interrupted", b""),
    case("no HTTP", "the connection was interrupted", b"SSH-2.0-OpenSSH_9.6\r\n"),
    case("status no number", "the connection was interrupted", b"HTTP/1.1 two OK\r\n\r\n"),
    case("status of another protocol", "the connection was interrupted", b"HTTP/9.9 200 OK\r\n\r\n" + CONTENT),
    case("status of 5,000 digits", "the connection was interrupted", b"HTTP/1.1 " + DIGITS.encode() + b" OK\r\n\r\n"),
    case("status line of zeros", "the connection was interrupted", bytes(70_000)),
    case("status line without end", "the connection was interrupted", without_end(b"HTTP/1.1 ", BLOCK)),
    case("an escape sequence in the status", r"answered 404 \\x1b\[2J\\x07 gone", b"HTTP/1.1 404 \x1b[2J\x07 gone\r\n\r\n"),
    case("raw bytes in the status", r"answered 404 \\xff\\x9b\\xfe", b"HTTP/1.1 404 \xff\x9b\xfe\r\n\r\n"),
    case("status in 50,000 letters", r"answered 404 gone .{,60}\.\.\.", LOST),
    case("status that no answer has", r"\(HTTP/1.1 \\xff\\x1b", b"HTTP/1.1 \xff\x1b\r\n\r\n"),
    case("204", "answered 204", answer(status="204 No Content")),
    case("203", "answered 203", answer(CONTENT, status="203 Non-Authoritative Information")),
    case("206 unasked", "answered 206 Partial Content, a part", part_of(CONTENT, 0)),
    case("206 unasked, known", "answered 206 Partial Content, a part", part_of(CONTENT, 0), known=True),
    case("206 unasked, of the middle", "answered 206", part_of(CONTENT, 500)),
    case("300", "answered 300", answer(status="300 Multiple Choices", Location="/a")),
    case("304", "answered 304", answer(status="304 Not Modified")),
    case("403", "answered 403 Forbidden", answer(PAGE, status="403 Forbidden")),
    case("416 unasked", "answered 416", answer(status="416 No", Content_Range=f"bytes */{len(CONTENT)}")),
    case("503 with an endless page", "answered 503", without_end(answer(status="503 Busy", **NO_LENGTH), PAGE)),
    case("999", "answered 999", answer(status="999 Denied")),
    # From Python 3.14.8 on, http.client itself counts them.
    case("100 without end", "not complete after|interim responses", without_end(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), time_limit=0.2),
    case("200 headers", "the connection was interrupted", b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n"),
    case("headers without end", "the connection was interrupted", without_end(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n")),
    case("a header of 70,000 letters", "the connection was interrupted", answer(CONTENT, A="b" * 70_000)),

    case("redirect to ftp", "a redirect was not followed: the address 'ftp://127.0.0.1/a' begins with neither", to("ftp://127.0.0.1/a")),
    case("redirect to a file", "neither http:// nor https://", to("file:///etc/hostname")),
    case("redirect to data", "neither http:// nor https://", to("data:text/plain,1::2::3")),
    case("redirect to a script", "neither http:// nor https://", to("javascript:alert(1)")),
    case("redirect to a bracket", "cannot be read", to("http://[::1/a")),
    case("redirect to no address in brackets", "was not followed", to("http://[x]/a")),
    case("redirect to a port in letters", "cannot be read", to("http://127.0.0.1:http/a")),
    case("redirect to port 99999", "cannot be read", to("http://127.0.0.1:99999/a")),
    case("redirect to port 0", "no valid host and port", to("http://127.0.0.1:0/a")),
    case("redirect to no host", "redirected more than 10 times", to("http:///a")),
    case("redirect to a user", "has no valid host", to("http://me:secret@127.0.0.1/a")),
    case("redirect to a host of raw bytes", "has no valid host", to(b"http://\xff\x1bc.example/a")),
    case("redirect to a long label", "has no valid host", to(f"http://{'a' * 64}.example/a")),
    case("redirect to dots", "has no valid host", to("http://a..b/a")),
    case("redirect to line ends", "has no valid host", to("http://127.0.0.1%0d%0aHost/a")),
    case("redirect of 60,000 letters", "has 60,0.. characters", to("http://127.0.0.1/" + "a" * 60_000)),
    case("redirect to nowhere", "a redirect without an address", answer(status="301 Moved")),
    case("redirect in a circle", "redirected more than 10 times", to("/a")),

    page(PAGE),
    page(b" " * 600 + PAGE, "begin with white space only"),
    page(b"\xef\xbb\xbf" + PAGE),
    page("\ufeff<html>".encode("utf-16-le")),
    page("\ufeff<html>".encode("utf-16-be")),
    page("<html>".encode("utf-16-le")),
    page(b"\r\n\t <HTML>"),
    page(b"<!-- a comment --><html>"),
    page(b"<!--" + b"x" * 3_000 + b"--><html>"),
    page(b"<?xml version='1.0'?><html>"),
    page(b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code>"),
    case("page of the right size, known", "HTML page", answer(b"\xef\xbb\xbf<!-- x --><html>".ljust(len(CONTENT))), known=True),
    page(b'{"error": "quota"}', "a JSON message"),
    page(b'\xef\xbb\xbf [{"error": 1}]', "a JSON message"),
    page(b"<html>", name="ratings.zip"),
    page(b'{"error": 1}', r"is not a \.zip file", name="ratings.zip"),
    page(b"{'user': 1}", r"is not a \.gz file", name="ratings.json.gz"),
    case("page by its type", "HTML page", answer(CONTENT, Content_Type="TEXT/HTML; charset=utf-8")),
    case("JSON by its type", "a JSON message", answer(b'"no"', Content_Type="application/json")),
    case("JSON by a problem's type", "a JSON message", answer(b'"no"', Content_Type="application/problem+json")),
    case("compressed on the way", "Content-Encoding gzip, which was not requested", answer(gzip.compress(CONTENT), Content_Encoding="gzip")),
    case("compressed, says the second header", "Content-Encoding identity, gzip, which was", answer(CONTENT, Content_Encoding="identity\r\nContent-Encoding: gzip")),
    case("compressed by brotli", "Content-Encoding br", answer(CONTENT, Content_Encoding="br")),
    case("an encoding of raw bytes", r"Content-Encoding \\x1b\\xff, which was", answer(CONTENT, Content_Encoding=b"\x1b\xff")),
    case("an encoding of transfer, says the second header", "Transfer-Encoding chunked, gzip, which was", answer(CONTENT, Transfer_Encoding="chunked\r\nTransfer-Encoding: gzip")),
    case("an encoding of transfer", "Transfer-Encoding gzip, chunked, which was", answer(CONTENT, Transfer_Encoding="gzip, chunked")),

    case("silence", r"\(timed out\)", silence(), timeout=0.2),
    case("silence in the headers", r"\(timed out\)", silence(b"HTTP/1.1 200 OK\r\n"), timeout=0.2),
    case("silence in the file", r"\(timed out\)", silence(cut(CONTENT, 9_000)), timeout=0.2),
    case("headers byte by byte", "not complete after", slowly(b"HTTP/1.1 200 OK\r\nA: ", b"b"), time_limit=0.2),
    case("file byte by byte", "not complete after", slowly(cut(CONTENT, 600), b"7"), time_limit=0.2),
    case("first bytes byte by byte", "not complete after", slowly(cut(CONTENT, 6), b"7"), time_limit=0.2),
    case("chunks byte by byte", "not complete after", slowly(chunked(end=b""), b"1\r\n7\r\n"), time_limit=0.2),
    case("trailer without end", "not complete after", slowly(chunked(CONTENT, end=b"0\r\n"), b"A: b\r\n"), time_limit=0.2),
]

FIRST = cut(CONTENT, 6_000, ETag='"one"', Last_Modified="Sat, 01 Jan 2000 00:00:00 GMT")
DATED = cut(CONTENT, 6_000, Last_Modified="Sat, 01 Jan 2000 00:00:00 GMT")
NEW = answer(OTHER, ETag='"two"')

# What came first is never mixed with what comes now: the last answer's file is the one kept.
KEPT = [
    case("206 of the same version", "whole", FIRST, part_of(CONTENT, 6_000, ETag='"one"')),
    case("206 of the same date", "whole", DATED, part_of(CONTENT, 6_000, Last_Modified="Sat, 01 Jan 2000 00:00:00 GMT")),
    case("206 in two parts", "whole", FIRST, answer(CONTENT[6_000:7_000], "206 Part", Content_Range=f"bytes 6000-6999/{len(CONTENT)}", ETag='"one"'), part_of(CONTENT, 7_000, ETag='"one"')),
    case("206 of another ETag", "new", FIRST, part_of(OTHER, 6_000, ETag='"two"'), NEW),
    case("206 of another date", "new", DATED, part_of(OTHER, 6_000, Last_Modified="Sun, 02 Jan 2000 00:00:00 GMT"), NEW),
    case("206 of the same ETag and another date", "new", FIRST, part_of(OTHER, 6_000, ETag='"one"', Last_Modified="Sun, 02 Jan 2000 00:00:00 GMT"), NEW),
    case("206 of no version", "new", FIRST, part_of(OTHER, 6_000), NEW),
    case("206 of a weak version", "new", FIRST, part_of(OTHER, 6_000, ETag='W/"one"'), NEW),
    case("206 at another byte", "new", FIRST, part_of(OTHER, 5_999, ETag='"one"'), NEW),
    case("206 without its range", "new", FIRST, answer(OTHER[6_000:], "206 Part", ETag='"one"'), NEW),
    case("206 without the size", "new", FIRST, answer(OTHER[6_000:], "206 Part", ETag='"one"', Content_Range="bytes 6000-6999/*"), NEW),
    case("206 of 5,000 digits", "new", FIRST, answer(OTHER[6_000:], "206 Part", ETag='"one"', Content_Range=f"bytes 6000-{DIGITS}/{DIGITS}"), NEW),
    case("206 that ends before it begins", "new", FIRST, answer(OTHER[6_000:], "206 Part", ETag='"one"', Content_Range="bytes 6000-5/7000"), NEW),
    case("206 in several ranges", "new", FIRST, answer(OTHER[6_000:], "206 Part", ETag='"one"', Content_Type="multipart/byteranges; boundary=x"), NEW),
    case("206 of another version, known", "whole", FIRST, part_of(OTHER, 6_000, ETag='"two"'), answer(CONTENT), known=True),
    case("200 of another version", "new", FIRST, NEW),
    case("416 of another size", "new", FIRST, answer(status="416 No", Content_Range="bytes */77", ETag='"one"'), NEW),
    case("416 of another version", "new", FIRST, answer(status="416 No", Content_Range="bytes */6000", ETag='"two"'), NEW),
    case("416 of 5,000 digits", "new", FIRST, answer(status="416 No", Content_Range=f"bytes */{DIGITS}", ETag='"one"'), NEW),
    case("a part refused", "new", FIRST, answer(status="400 No"), NEW),
    case("a part refused, known", "whole", FIRST, answer(status="403 No"), answer(CONTENT), known=True),
    case("a long ETag refused", "new", cut(CONTENT, 6_000, ETag='"' + "1" * 60_000 + '"'), answer(status="431 Too large"), NEW),
    case("an ETag of raw bytes", "new", cut(CONTENT, 6_000, ETag=b'"\xff\x1b"'), NEW),
    case("busy, then the file", "whole", answer(status="503 Busy"), answer(CONTENT)),
    case("empty, then the file", "whole", answer(b""), answer(CONTENT)),
    case("redirect with an endless page", "whole", without_end(answer(status="302 Found", Location="/a", **NO_LENGTH), BLOCK), answer(CONTENT)),
    case("redirects of all kinds", "whole", *(answer(status=f"{code} Elsewhere", Location="/a") for code in (301, 302, 303, 307, 308)), answer(CONTENT)),
    case("redirect to a fragment", "whole", to("/a#there"), answer(CONTENT)),
    case("redirect without a host", "whole", to("?"), answer(CONTENT)),
    case("length and chunks", "whole", chunked(CONTENT).replace(b"Transfer", b"Content-Length: 3\r\nTransfer")),
    case("length not told, known", "whole", answer(CONTENT, **NO_LENGTH), known=True),
    case("an encoding that changes nothing", "whole", answer(CONTENT, Content_Encoding="identity")),
    case("an encoding, checksum known", "whole", answer(CONTENT, Content_Encoding="gzip"), known=True),
    case("100 before the answer", "whole", b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + answer(CONTENT)),
    case("JSON that should be", "whole", answer(CONTENT, Content_Type="application/json"), name="ratings.json"),
]
# fmt: on
