-- One row: numbers of the store that must agree within every version of it.
with
held as (
    select count(*) as events from events
),
by_read as (
    select
        count(*) as reads,
        count(*) - count(distinct read_id) as reads_named_twice,
        coalesce(sum(inserted), 0) as inserted,
        coalesce(sum(fetched), 0) as fetched,
        max(read_id) as newest
    from window_reads
),
by_page as (
    select
        coalesce(sum(inserted), 0) as inserted,
        coalesce(sum(inserted + duplicate + quarantined), 0) as settled
    from ingest_pages
),
folded as (
    select
        (select coalesce(sum(events), 0) from active_day_rows) as events,
        (select count(*) from event_rows where user_id is not null) as events_of_users,
        (select count(*) from fold_due) as reads_due
),
orphans as (
    select count(*) as events
    from event_rows as e
    where not exists (select 1 from window_reads as r where r.read_id = e.read_id)
)
select
    by_read.reads || '/' || coalesce(by_read.newest, '-') as version,
    held.events,
    by_read.inserted as inserted_by_reads,
    by_page.inserted as inserted_by_pages,
    by_read.fetched as fetched_by_reads,
    by_page.settled as settled_by_pages,
    by_read.reads_named_twice,
    orphans.events as events_of_no_read,
    folded.events as events_folded,
    folded.events_of_users,
    folded.reads_due,
    0 as none
from held
cross join by_read
cross join by_page
cross join orphans
cross join folded;
