-- How long the service has shown no event, and how long it was usually silent in the four weeks before.
with
reach as (
    select max(least(window_end, last_read_at)) as read_up_to
    from ingest_windows
    where source = $source
),
last_event as (
    select max(e.event_time) as event_time
    from event_rows as e
    cross join reach as r
    where e.source = $source and e.event_time <= r.read_up_to
),
minutes as (
    select distinct date_trunc('minute', e.event_time) as event_minute
    from event_rows as e
    cross join last_event as l
    where e.source = $source
      and e.event_time between l.event_time - interval 28 days and l.event_time
),
pauses as (
    select date_diff('second', lag(event_minute) over (order by event_minute), event_minute) as seconds
    from minutes
)
select
    l.event_time as last_event,
    date_diff('second', l.event_time, r.read_up_to) as silent_seconds,
    (select coalesce(max(seconds), 0) from pauses) as usual_seconds
from reach as r
cross join last_event as l
where l.event_time is not null and r.read_up_to is not null;
