-- Whether a database of version 1 is young enough to know of prunes.
select count(*) as tables
from duckdb_tables()
where table_name in ('prunes', 'pruned_reads');
