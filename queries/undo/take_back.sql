-- name: remove
-- Takes out what an import brought, and notes it: another read may have shown it, too.
create or replace temp table undone_keys as
select event_key
from event_rows
where read_id = $read_id;

create or replace temp table undone_quarantine as
select q.quarantine_key
from quarantine as q
inner join window_reads as r on r.run_id = q.run_id
where r.read_id = $read_id;

insert into known_changes (change_id, first_time, last_time)
select
    (select coalesce(max(change_id), 0) + 1 from known_changes) as change_id,
    min(event_time) as first_time,
    max(event_time) as last_time
from event_rows
where read_id = $read_id
having count(*) > 0;

delete from event_rows
where read_id = $read_id;

delete from quarantine
where quarantine_key in (select quarantine_key from undone_quarantine);

create or replace temp table other_quarantine as
select quarantine_key from quarantine;

-- name: forget
-- Takes an import out of the ledger; its run stays, with nothing of it.
update ingest_runs
set windows = 0, pages = 0, fetched = 0, inserted = 0, duplicate = 0, quarantined = 0
where run_id = (select run_id from window_reads where read_id = $read_id);

delete from ingest_pages
where read_id = $read_id;

delete from window_reads
where read_id = $read_id;

delete from fold_due
where read_id = $read_id;

-- name: record
insert into undone_reads (read_id, run_id, source, undone_at)
select $read_id as read_id, $run_id as run_id, $source as source, $undone_at::timestamp as undone_at
where not exists (select 1 from undone_reads where read_id = $read_id);

-- name: keep_shown
-- Of the rows of another read those stay that the import took with it: all others were known before, or pruned.
delete from event_rows
where read_id = $own_id and event_key not in (select event_key from undone_keys);

delete from quarantine
where quarantine_key not in (select quarantine_key from undone_quarantine)
  and quarantine_key not in (select quarantine_key from other_quarantine);

update ingest_pages
set inserted = ingest_pages.inserted + b.events, duplicate = ingest_pages.duplicate - b.events
from (
    select page_number, count(*) as events from event_rows where read_id = $own_id group by page_number
) as b
where ingest_pages.read_id = $read_id and ingest_pages.page = b.page_number;

update ingest_runs
set inserted = ingest_runs.inserted + b.events, duplicate = ingest_runs.duplicate - b.events
from (select count(*) as events from event_rows where read_id = $own_id) as b
where ingest_runs.run_id = $run_id;

update window_reads
set inserted = window_reads.inserted + b.events, duplicate = window_reads.duplicate - b.events
from (select count(*) as events from event_rows where read_id = $own_id) as b
where window_reads.read_id = $read_id;

update event_rows
set read_id = $read_id
where read_id = $own_id;
