-- Up to when rows of each source stay in the lake although the database lacks them, since a prune took them. Null
-- stands for sources that the database does not know.
with
sources as (
    select source from window_reads
    union
    select source from ingest_runs
    union
    select source from prunes
    union
    select null as source
),
moments as (
    select source, before_time
    from prunes
    where with_events
)
select s.source, cast(max(m.before_time) as varchar) as before
from sources as s
left join moments as m on m.source is null or m.source = s.source
group by s.source;
