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
        coalesce(sum(inserted + duplicate + quarantined), 0) as counted
    from ingest_pages
),
folded as (
    select
        (select coalesce(sum(events), 0) from active_day_rows) as events,
        (select count(*) from event_rows where user_id is not null) as events_of_users,
        (select count(*) from fold_due) as reads_due
),
-- A job waits for the rows of its text, or its text was read; where that touched tables, it has rows.
texts as (
    select
        (select count(*) from job_rows where text_hash is not null) as jobs,
        (select count(*) from query_text_due) + (
            select count(*)
            from job_rows as j
            where j.text_hash in (select t.text_hash from query_text_rows as t)
              and not exists (
                  select 1 from query_text_due as d where d.source = j.source and d.job_id = j.job_id
              )
        ) as jobs_accounted_for,
        (
            select count(*)
            from job_rows as j
            inner join query_text_rows as t on t.text_hash = j.text_hash
            where len(t.tables) > 0
              and not exists (
                  select 1 from query_text_due as d where d.source = j.source and d.job_id = j.job_id
              )
        ) as jobs_touching,
        (select count(*) from (select distinct source, job_id from query_table_rows)) as jobs_with_tables
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
    by_page.counted as counted_by_pages,
    by_read.reads_named_twice,
    orphans.events as events_of_no_read,
    folded.events as events_folded,
    folded.events_of_users,
    folded.reads_due,
    texts.jobs as jobs_with_text,
    texts.jobs_accounted_for,
    texts.jobs_touching,
    texts.jobs_with_tables,
    0 as none
from held
cross join by_read
cross join by_page
cross join orphans
cross join folded
cross join texts;
