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
