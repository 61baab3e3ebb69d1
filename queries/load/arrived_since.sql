-- How many events of a window came after a read of it, by whatever read.
select count(*) as events
from event_rows
where source = $source
  and event_time >= $window_start::timestamp
  and event_time < $window_end::timestamp
  and (first_seen_at, read_id) > ($before_seen_at::timestamp, $before_read_id);
