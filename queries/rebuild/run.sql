-- The run of a read that was carried over: as the attached database has it, its totals those of its reads here.
create or replace temp table carried_run as
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
    where run_id = $run_id
    group by run_id
),
pages as (
    select count(*) as pages, coalesce(sum(bytes), 0)::bigint as bytes
    from ingest_pages
    where run_id = $run_id
)
select
    g.* replace (
        r.windows as windows, r.fetched as fetched, r.inserted as inserted, r.duplicate as duplicate,
        r.quarantined as quarantined, r.vanished as vanished, p.pages as pages, p.bytes as bytes
    )
from old.ingest_runs as g
inner join reads as r on r.run_id = g.run_id
cross join pages as p;

delete from ingest_runs where run_id = $run_id;

insert into ingest_runs by name
select c.* from carried_run as c;
