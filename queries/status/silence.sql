-- How long the service has shown no event, and how long it was usually silent in the four weeks before.
with
minutes as (
    select distinct date_trunc('minute', event_time) as event_minute
    from event_rows
    where source = $source
      and event_time between $last_event::timestamp - interval 28 days and $last_event::timestamp
),
pauses as (
    select date_diff('second', lag(event_minute) over (order by event_minute), event_minute) as seconds
    from minutes
)
select
    $last_event::timestamp as last_event,
    date_diff('second', $last_event::timestamp, $read_up_to::timestamp) as silent_seconds,
    coalesce(max(seconds), 0) as usual_seconds
from pauses;
