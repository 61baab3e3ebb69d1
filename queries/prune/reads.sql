-- The loaded reads that are older than a moment. A window is as old as its end. A file is as old as the latest event
-- that it brought or, where it brought none, as the moment it was read.
with
brought as (
    select read_id, max(event_time) as last_event_time
    from event_rows
    group by read_id
)
select r.read_id
from window_reads as r
left join brought as b on b.read_id = r.read_id
where coalesce(r.window_end, b.last_event_time, r.read_at) <= $before::timestamp
  and not r.is_mark
  and ($source is null or r.source = $source)
order by r.read_at, r.read_id;
