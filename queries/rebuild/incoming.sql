-- The events of a read, not from staged files but from the attached database. The load classifies them anew by the
-- catalog of today, their keys stay. What another read has brought by now stays out.
create or replace temp macro incoming(files, record_bytes, of_source) as table
select
    replace(cast(o.event_key as varchar), '-', '') as record_key,
    o.event_time as "time",
    o.* exclude (
        event_key, event_time, event_date, source, window_start, run_id, first_seen_at, read_id,
        entry_id, operation_id, catalog_match
    )
from old.event_rows as o
where o.read_id = files
  and not exists (select 1 from event_rows as k where k.source = o.source and k.event_key = o.event_key);
