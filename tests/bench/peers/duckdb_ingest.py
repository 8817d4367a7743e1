# SPDX-License-Identifier: Apache-2.0
"""Ratings as CSV and events as Parquet, loaded into a typed DuckDB table; and the CSV itself."""

import argparse
import time

import duckdb

from common import report

RATINGS = "{'userId': 'INTEGER', 'movieId': 'INTEGER', 'rating': 'FLOAT', 'timestamp': 'BIGINT'}"
# Users and movies of MovieLens-25M, drawn by a hash; ids of movies have gaps, as there.
WRITE_RATINGS = """
copy (select 1 + (hash(i) % 162541)::integer as userId,
             1 + (hash(i, 1) % 209171)::integer as movieId,
             (1 + hash(i, 2) % 10) / 2.0 as rating,
             789652009 + (hash(i, 3) % 784748286)::bigint as timestamp
      from range({rows}) t(i))
to '{file}' (format csv, header true)"""
LOADS = {
    "ratings": "select * from read_csv('{file}', columns = " + RATINGS + ", header = true)",
    "events": "select uid, item_id, timestamp, is_organic from read_parquet('{file}')"
    " where event_type = 'like' or (event_type = 'listen' and played_ratio_pct >= 50)",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=["write", *LOADS])
    parser.add_argument("file")
    parser.add_argument("--rows", type=int, default=25_000_095)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--database", default=":memory:", help="where the table is made")
    arguments = parser.parse_args()
    connection = duckdb.connect(arguments.database, config={"threads": arguments.threads})
    if arguments.work == "write":
        connection.execute(WRITE_RATINGS.format(rows=arguments.rows, file=arguments.file))
        return
    seconds = []
    for _ in range(arguments.runs):
        connection.execute("drop table if exists loaded")
        begin = time.perf_counter()
        query = LOADS[arguments.work].replace("{file}", arguments.file)
        connection.execute(f"create table loaded as {query}")
        seconds.append(time.perf_counter() - begin)
    rows = connection.execute("select count(*) from loaded").fetchone()[0]
    report(seconds, rows=rows)


if __name__ == "__main__":
    main()
