-- name: note
-- Records the time range of new data; detections are evaluated over it.
insert into known_changes (change_id, first_time, last_time)
select coalesce(max(change_id), 0) + 1 as change_id, $first_time::timestamp as first_time, $last_time::timestamp as last_time
from known_changes;

-- name: covered
-- Notes a window that is read for the first time: that nothing happened there is known now, too.
insert into known_changes (change_id, first_time, last_time)
select
    (select coalesce(max(change_id), 0) + 1 from known_changes) as change_id,
    $window_start::timestamp as first_time, $window_end::timestamp as last_time
where $is_changed
   or not exists (
       select 1
       from window_reads as r
       where r.source = $source
         and not r.is_mark
         and r.window_start <= $window_start::timestamp
         and r.window_end >= $window_end::timestamp
   );

-- name: due
-- Changes since the last evaluation of a detection, limited by the times of all events.
select
    change_id,
    epoch_ms(first_time) as first_ms,
    epoch_ms(last_time) as last_ms
from known_changes
order by first_time, last_time, change_id;

-- name: states
select detection, fingerprint, evaluated_change
from detection_states
order by detection;

-- name: pruned
-- The end of pruned events: earlier hits stay unchanged.
select max(epoch_ms(before_time)) as pruned_ms
from prunes
where with_events;

-- name: months
-- The events of each 31 days.
select
    epoch_ms(time_bucket(interval '31 days', event_date)) as start_ms,
    count(*) as events
from event_rows
group by start_ms
order by start_ms;
