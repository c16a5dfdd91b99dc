# SPDX-License-Identifier: MIT
"""The usual names of columns of users, items, ratings and times."""

from __future__ import annotations

USER_NAMES = (
    "user", "userid", "uid", "useridx", "userindex", "customer", "customerid", "reviewerid",
    "visitorid", "memberid", "profilename", "sessionid", "qid", "queryid", "query", "topic",
    "users", "u", "custid", "reviewer",
)  # fmt: skip
ITEM_NAMES = (
    "item", "itemid", "iid", "itemidx", "itemindex", "movie", "movieid", "product", "productid",
    "parentasin", "asin", "track", "trackid", "song", "songid", "book", "bookid", "isbn", "artist",
    "artistid", "businessid", "beerid", "gameid", "corpusid", "docid", "docno",
    "document", "doc", "items", "i", "videoid", "recipeid", "animeid", "gmapid", "articleid",
    "newsid", "venueid", "restaurantid", "filmid", "appid",
)  # fmt: skip
RATING_NAMES = (
    "rating", "ratings", "stars", "starrating", "reviewoverall", "overall", "bookrating", "value",
    "score", "label", "relevance", "rel", "grade", "weight", "count", "plays", "playcount",
    "listens", "clicks", "click", "clicked", "listencount", "isclick", "userrating",
    "reviewrating", "reviewscore", "liked",
)  # fmt: skip
TIMESTAMP_NAMES = (
    "timestamp", "time", "ts", "timems", "timestampms", "unixtime", "date", "datetime", "eventtime",
    "unixreviewtime", "createdat", "reviewtime", "lastplayed",
)  # fmt: skip
"""Usual names of each column, in lower case and without punctuation; the first has priority."""

COUNT_NAMES = frozenset(
    {
        *("count", "plays", "playcount", "listens", "listencount"),
        *("clicks", "click", "clicked", "isclick"),
    }
)
"""Names of rating columns that hold counts of what users did."""

QUERY_NAMES = frozenset(
    {"qid", "queryid", "query", "topic", "corpusid", "docid", "docno", "document", "doc"}
)
"""Names of users and items in tables of judgments, where grades of 1 or more are relevant."""
