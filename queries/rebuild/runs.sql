-- The runs as the attached database has them, those without reads, too: what it landed does not show how each ended.
-- Their totals are those of their reads here.
create or replace temp table former_runs as
with
reads as (
    select
        run_id,
        count(window_start) as windows,
        sum(fetched)::bigint as fetched,
        sum(inserted)::bigint as inserted,
        sum(duplicate)::bigint as duplicate,
        sum(quarantined)::bigint as quarantined,
        sum(vanished)::bigint as vanished
    from window_reads
    where not is_mark
    group by run_id
),
pages as (
    select run_id, count(*) as pages, sum(bytes)::bigint as bytes
    from ingest_pages
    group by run_id
)
select
    g.* replace (
        coalesce(r.windows, 0) as windows, coalesce(r.fetched, 0) as fetched,
        coalesce(r.inserted, 0) as inserted, coalesce(r.duplicate, 0) as duplicate,
        coalesce(r.quarantined, 0) as quarantined, coalesce(r.vanished, 0) as vanished,
        coalesce(p.pages, 0) as pages, coalesce(p.bytes, 0) as bytes
    )
from old.ingest_runs as g
left join reads as r on r.run_id = g.run_id
left join pages as p on p.run_id = g.run_id;

delete from ingest_runs where run_id in (select run_id from former_runs);

insert into ingest_runs by name
select f.* from former_runs as f order by f.started_at, f.run_id;
