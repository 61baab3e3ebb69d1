-- How many events of a window came after a read of it, by whatever read.
select count(*) as events
from event_rows
where source = $source
  and event_time >= $window_start::timestamp
  and event_time < $window_end::timestamp
  and read_id not in (select r.read_id from window_reads as r where r.source = $source and r.claimed_at is not null)
  and (first_seen_at, read_id) > ($before_seen_at::timestamp, $before_read_id);
