-- The sources that were read from a service, and that a next night reads again.
select distinct source
from ingest_runs
where command in ('ingest', 'backfill') and ($source is null or source = $source)
order by source;
