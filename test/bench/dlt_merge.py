"""Loads newline-delimited records into DuckDB with dlt as Arrow tables, merged by id. Arguments: the file, a folder.

A record without an id gets a hash of itself: two equal events are one then.
"""

import sys

import dlt
import duckdb

path, folder = sys.argv[1:]


@dlt.resource(name="log", write_disposition="merge", primary_key="id")
def records():
    own_id = "coalesce(cast(id as varchar), md5(cast(r as varchar)))"
    source = f"read_json('{path}', format = 'newline_delimited', sample_size = -1)"
    rows = duckdb.sql(f"select * replace ({own_id} as id) from {source} as r")
    yield from rows.to_arrow_reader(100_000)


pipeline = dlt.pipeline(
    pipeline_name="bench",
    pipelines_dir=f"{folder}/pipelines",
    destination=dlt.destinations.duckdb(f"{folder}/merged.duckdb"),
    dataset_name="bench",
)
pipeline.run(records())
