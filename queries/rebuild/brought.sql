-- What a read brought that was carried over.
select
    count(*) as inserted,
    min(event_time) as first_event_time,
    max(event_time) as last_event_time
from event_rows
where read_id = $read_id;
