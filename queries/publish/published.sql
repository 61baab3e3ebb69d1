-- name: contents
-- What a copy must hold, too; none of it has to be read, since the database knows how many rows a table has.
select
    (select count(*) from event_rows) as events,
    (select count(*) from window_reads) as reads,
    (select count(*) from quarantine) as quarantined;

-- name: file
-- The database name of the opened file.
select current_database() as file;

-- name: sources
-- The sources that anything is kept of.
select source
from ingest_runs
union
select source
from user_history
union
select source
from policy_snapshots
order by source;

-- name: tables
-- The tables of a database; reading every column of them reads, and so checks, every block of the file.
select table_name
from duckdb_tables()
where not temporary and not internal and database_name = current_database()
order by table_name;
