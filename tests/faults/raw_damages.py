# SPDX-License-Identifier: MIT
"""Seeded damages of raw files, and what a parser may make of them.

A parser may refuse a damaged file with a sentence, or read it; what it reads must then hold every
row of the records that were not damaged, and beside them only rows that the damaged records spell.
"""

from __future__ import annotations

import random
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from faults.raw_samples import Files, Row, Sample, rows_of

from reproduction.datasets.reports import DatasetError, ParseReport

SECONDS = 5
"""What a parser may take of the processor for an input of a few kilobytes."""

Records = list[tuple[int, bytes]]
Draw = random.Random

NUMBERS = (
    *("0x1F", "0X1f", "1e3", "1E0", "1_000", "-0", "-0.0", "-1", "+4", "4.00000001", "4.0", "3.25"),
    *("4.", ".5", "", " ", " 4", "4\t", "007", "٤", "４", "nan", "inf", "-inf", "None", "True"),
    *(
        "2147483647",
        "2147483648",
        "9223372036854775807",
        "18446744073709551616",
        "4611686018427387904",
    ),
    *("9" * 30, "9" * 5_000, "0" * 5_000 + "4", "1.5.2", "4\0", "0b1", "0o7", "1j", "(4)", "4L"),
    *("0001-01-01", "9999-12-31", "0000-00-00", "2005-9-6", "20050906", "2005-W36-2"),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2005-09-06T10:11Z", "2005-09-06 10:11:12Z"),
    *("2005-09-06T10:11:12+02:00", "2005-09-06T10:11:60Z", "1969-12-31T23:59:59Z"),
)
BYTES = (
    *(b"\0", b"\xef\xbb\xbf", b"\xff", b"\xfe", b"\r", b"\n", b"\r\n", b"\n\n", b"\t", b" ", b"  "),
    *(b'"', b"'", b"\\", b"\\x", b"\\ud800", b"\\N{BULLET}", b"\\d", b"\x1f", b"\x1a", b"\x85"),
    *(b"\xe2\x80\xa8", b"\xed\xa0\x80", b":", b"::", b",", b"-", b"x", b"{", b"}", b"0", b"e9"),
)


def flip(draw: Draw, record: bytes) -> bytes:
    at = draw.randrange(len(record))
    return record[:at] + bytes([draw.randrange(256)]) + record[at + 1 :]


def insert(draw: Draw, record: bytes) -> bytes:
    at = draw.randrange(len(record) + 1)
    return record[:at] + draw.choice(BYTES) + record[at:]


def delete(draw: Draw, record: bytes) -> bytes:
    start, end = sorted(draw.choices(range(len(record) + 1), k=2))
    return record[:start] + record[end:]


def repeat_part(draw: Draw, record: bytes) -> bytes:
    start, end = sorted(draw.choices(range(len(record) + 1), k=2))
    return record[:end] + record[start:]


def respell(draw: Draw, record: bytes) -> bytes:
    numbers = list(re.finditer(rb"\d+(?:[-T:.]\d+)*Z?", record))
    if not numbers:
        return record
    found = draw.choice(numbers)
    return record[: found.start()] + draw.choice(NUMBERS).encode() + record[found.end() :]


def swap_fields(draw: Draw, record: bytes) -> bytes:
    parts = re.split(rb"(::|[\t\n,;: ]+)", record)
    if len(parts) < 3:
        return record
    first, second = draw.choices(range(0, len(parts), 2), k=2)
    parts[first], parts[second] = parts[second], parts[first]
    return b"".join(parts)


def lengthen(draw: Draw, record: bytes) -> bytes:
    at = draw.randrange(len(record))
    return (
        record[:at] + record[at : at + 1] * draw.choice((100, 1_200, 5_000, 140_000)) + record[at:]
    )


def recode(draw: Draw, record: bytes) -> bytes:
    codec = draw.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037", "latin-1", "utf-8-sig"))
    return record.decode("utf-8", errors="replace").encode(codec, errors="replace")


def end_lines_otherwise(draw: Draw, record: bytes) -> bytes:
    return record.replace(b"\n", draw.choice((b"\r", b"\n\r", b"\0\n", b" \n", b"", b"\n\n")))


def lose_a_line(draw: Draw, record: bytes) -> bytes:
    lines = record.splitlines(keepends=True)
    del lines[draw.randrange(len(lines))]
    return b"".join(lines)


ONE_RECORD: tuple[Callable[[Draw, bytes], bytes], ...] = (
    *(flip, flip, insert, insert, delete, repeat_part, respell, respell, respell, swap_fields),
    *(recode, end_lines_otherwise, lose_a_line),
)


def damage_records(draw: Draw, records: Records) -> tuple[Records, set[int]]:
    """Return damaged records and the numbers of the good ones that may be lost."""
    at = draw.randrange(len(records))
    number, record = records[at]
    before, after = records[:at], records[at + 1 :]
    # What has no line end any more takes the next record with it.
    both = {number} | {other for other, _ in after[:1]}
    kind = draw.random()
    if kind < 0.8 and record:
        damaged = draw.choice(ONE_RECORD)(draw, record)
        lost = {number} if damaged.endswith(b"\n") else both
        return [*before, (number, damaged), *after], lost
    if kind < 0.81 and record:
        return [*before, (number, lengthen(draw, record)), *after], {number}
    if kind < 0.85 and len(records) > 1:
        return [*before, *after], {number}
    if kind < 0.88:
        return [*before, (number, record), (number, record), *after], set()
    if kind < 0.91 and all(content.endswith(b"\n") for _, content in records):
        draw.shuffle(records)
        return records, set()
    if kind < 0.94:
        cut = record[: draw.randrange(len(record) + 1)]
        return [*before, (number, cut)], {number} | {other for other, _ in after}
    if kind < 0.96:
        return [*before, (number, record.rstrip(b"\n")), *after], both
    if kind < 0.98:
        number, record = records[0]
        return [(number, b"\xef\xbb\xbf" + record), *records[1:]], {number}
    return [(number, record.replace(b"\n", b"\r\n")) for number, record in records], set()


def joined(records: Records) -> set[int]:
    """Return the numbers of records before which a line has not ended."""
    numbers = set()
    within_a_line = False
    for number, content in records:
        if within_a_line:
            numbers.add(number)
        if content:
            within_a_line = not content.endswith(b"\n")
    return numbers


def damage_file(draw: Draw, files: Files) -> Files:
    """Damage the bytes of a file, such as those of an archive."""
    number = draw.randrange(len(files))
    name, data = files[number]
    kind = draw.randrange(8)
    at = draw.randrange(len(data) + 1)
    if kind < 3:
        for _ in range(draw.choice((1, 1, 2, 8))):
            data = flip(draw, data)
    elif kind == 3:
        data = data[:at]
    elif kind == 4:
        data = data[:at] + data[at + draw.choice((1, 2, 512, 700)) :]
    elif kind == 5:
        size = draw.choice((1, 4, 512, 1024))
        start = at // size * size
        data = data[:start] + bytes(len(data[start : start + size])) + data[start + size :]
    elif kind == 6:
        data = data[:at] + draw.randbytes(draw.choice((1, 4, 512))) + data[at:]
    else:
        data += draw.choice((b"\0", b"\0" * 700, b"PK\x05\x06", b"\x1f\x8b\x08", data, data[:at]))
    return [*files[:number], (name, data), *files[number + 1 :]]


def one_fault(sample: Sample, seed: int, folder: Path) -> str:
    """Damage a sample, parse it, and return what is wrong with the result, if anything."""
    draw = random.Random(f"{sample.name} {seed}")
    by_record = sample.rows_by_record(folder)
    common = by_record[0] & by_record[1]
    own = [rows - common for rows in by_record]
    records = list(enumerate(sample.records))
    lost: set[int] = set()
    in_file = draw.random() < (0.4 if sample.checksummed else 0.1)
    if in_file:
        files = damage_file(draw, sample.good_files)
    else:
        for _ in range(draw.choice((1, 1, 1, 2))):
            records, damaged = damage_records(draw, records)
            lost |= damaged
        lost |= joined(records)
        contents = [content for _, content in records]
        files = sample.files(contents)
    paths = sample.write(files, folder)
    report = ParseReport()
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = rows_of(sample.parse(paths, report=report))
    except DatasetError as error:
        message = str(error)
        problems = [
            ("too long", len(message) > 500),
            ("on several lines", "\n" in message or not message.isprintable()),
            (
                "names no file",
                not any(path.name in message for path in paths) and str(folder) not in message,
            ),
            ("slow", time.process_time() - began > SECONDS),
        ]
        return ", ".join(name for name, wrong in problems if wrong) and f"{problems}: {message}"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
    if time.process_time() - began > SECONDS:
        return f"it took more than {SECONDS} s"
    whole = sum(own, common)
    if in_file and sample.checksummed:
        return "" if found == whole else f"read as something else: {found - whole}, {whole - found}"
    if in_file:
        text = b"\n".join(content for _, content in files)
        missing = 0
    else:
        # A damaged record may be read on into the next one, and be of what the one before heads.
        times = Counter(number for number, _ in records)
        spoilt = [number in lost or times[number] > 1 for number, _ in records]
        text = b"".join(
            content
            for content, own, next_one in zip(contents, spoilt, [*spoilt[1:], False], strict=True)
            if own or next_one
        )
        kept = sum((rows for number, rows in enumerate(own) if number not in lost), common)
        missing = (kept - found).total() - report.repeats_collapsed
    if missing > 0:
        return f"lost without a word: {kept - found}"
    invented = [row for row in found - whole if not spelled(row, text, sample.scale)]
    return f"not in the file: {invented}" if invented else ""


def spelled(row: Row, text: bytes, scale: float) -> bool:
    """Say whether a text has the user, item, value and time of a row as they are."""
    written = text.decode("utf-8", errors="replace") + text.decode("latin-1")
    if "\\" in written:
        # What escapes stand for is not looked into.
        return True
    written += written.replace("\r", " ").replace('""', '"')
    user, item, value, *others = row
    tokens = set(re.findall(r"[^\s:,;'\"{}\x1f]+", written))
    numbers = {token.lstrip("0") or "0" for token in tokens if token.isdecimal()}
    times = {int(number) for number in numbers if len(number) < 20}
    for found in re.findall(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\dZ)?", written):
        try:
            moment = datetime.fromisoformat(found.removesuffix("Z")).replace(tzinfo=UTC)
        except ValueError:
            continue
        times.add(int(moment.timestamp()))
    wanted = f"{value * scale:g}"
    spellings = {re.sub(r"^(-?)0+(?=\d)", r"\1", token) for token in tokens}
    spellings = {re.sub(r"(\.\d*?)0+$", r"\1", token).removesuffix(".") for token in spellings}
    return (
        all(name in numbers or name in written for name in (user, item))
        and (not scale or wanted in spellings or wanted in numbers)
        and all(isinstance(other, bool) or other == -1 or other in times for other in others)
    )
