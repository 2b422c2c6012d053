# SPDX-License-Identifier: Apache-2.0
"""The legs: what is compared with what. Data only; how it is measured is in measure.py."""
from measure import Contestant, Leg, NotReady

FLOOR = Contestant("floor", ["{bin}/bench_floor", "{port}"])
FIXED = Contestant("fixed", ["{bin}/bench_fixed", "{port}"])
QUERN = ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}"]


def prepare_posts(context):
    """Makes {dir}/data: a collection `posts` that everybody may read, with rows to get and to list."""
    raise NotReady("the data directory of this leg is not prepared yet")


LEGS = [
    Leg("fixed", "a fixed answer through our server, against the least a socket loop can do", [FLOOR, FIXED]),
    Leg("record-get", "one record by its id, against the least a socket loop can do",
        [FLOOR, Contestant("record-get", QUERN, path="/api/collections/posts/records/post00000000001")],
        setup=prepare_posts),
    Leg("list20", "twenty records without a total, against the least a socket loop can do",
        [FLOOR, Contestant("list20", QUERN, path="/api/collections/posts/records?perPage=20&skipTotal=1")],
        setup=prepare_posts),
]
