-- Where the ledger contradicts itself: a page, a read or a run whose numbers do not add up.
with
pages as (
    select
        source, run_id, read_id,
        count(*) as pages,
        sum(fetched) as fetched,
        sum(inserted) as inserted,
        sum(duplicate) as duplicate,
        sum(quarantined) as quarantined,
        bool_and(fetched = inserted + duplicate + quarantined) as adds_up
    from ingest_pages
    group by source, run_id, read_id
),
reads as (
    select
        r.source, r.run_id, r.fetched, r.inserted, r.duplicate, r.quarantined,
        coalesce(p.adds_up, true)
            and r.fetched = r.inserted + r.duplicate + r.quarantined
            and r.fetched = coalesce(p.fetched, 0)
            and r.inserted = coalesce(p.inserted, 0)
            and r.duplicate = coalesce(p.duplicate, 0)
            and r.quarantined = coalesce(p.quarantined, 0) as adds_up
    from window_reads as r
    left join pages as p on p.read_id = r.read_id
),
runs as (
    select
        r.source, r.run_id, r.fetched, r.inserted, r.duplicate, r.quarantined,
        sum(d.fetched) as read_fetched,
        sum(d.inserted) as read_inserted,
        sum(d.duplicate) as read_duplicate,
        sum(d.quarantined) as read_quarantined,
        coalesce(bool_and(d.adds_up), true) as adds_up
    from ingest_runs as r
    left join reads as d on d.run_id = r.run_id
    group by r.source, r.run_id, r.fetched, r.inserted, r.duplicate, r.quarantined
)
select source, run_id
from runs
where not adds_up
   or fetched <> coalesce(read_fetched, 0)
   or inserted <> coalesce(read_inserted, 0)
   or duplicate <> coalesce(read_duplicate, 0)
   or quarantined <> coalesce(read_quarantined, 0)
order by source, run_id;
