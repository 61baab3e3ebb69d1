-- When a source was read last, and the earliest event that reads of it have brought since a moment. A record that lies
-- outside of the window it was asked for may claim any time, and does not count.
with
reads as (
    select read_id, read_at, window_start, window_end
    from window_reads
    where source = $source and not is_mark
)
select
    max(r.read_at) as last_read,
    (
        select min(e.event_time)
        from event_rows as e
        inner join reads as b
            on b.read_id = e.read_id and e.event_time >= b.window_start and e.event_time < b.window_end
        where e.source = $source and e.first_seen_at > $since::timestamp
    ) as first_arrived
from reads as r;
