-- Events that a run took over outside the windows it asked for, in time that is said to be final.
with
reads as (
    select read_id, window_start, window_end
    from window_reads
    where run_id = $run_id and outside > 0 and inserted > 0
)
select
    count(*) as events,
    epoch_ms(min(e.event_time)) as first_ms,
    epoch_ms(max(e.event_time)) as last_ms
from event_rows as e
inner join reads as r on r.read_id = e.read_id
where e.event_time >= make_timestamp($from_ms::bigint * 1000)
  and e.event_time < make_timestamp($to_ms::bigint * 1000)
  and (e.event_time < r.window_start or e.event_time >= r.window_end);
