-- The events of a read, not from staged files but from the attached database: the load classifies them anew
-- by the catalog of today, their keys stay.
create or replace temp macro incoming(files, record_bytes) as table
select
    cast(event_key as varchar) as fingerprint,
    event_time as "time",
    * exclude (
        event_key, event_time, event_date, source, window_start, run_id, first_seen_at, read_id,
        entry_id, operation_id, catalog_match
    )
from old.event_rows
where read_id = files;
