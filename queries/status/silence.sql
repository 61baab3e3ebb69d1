-- How long the service has shown no event, and how long it was usually silent in the four weeks before. A pause of which
-- part was not read is no silence.
with
minutes as (
    select distinct date_trunc('minute', event_time) as event_minute
    from event_rows
    where source = $source
      and event_time between $last_event::timestamp - interval 28 days and $last_event::timestamp
),
pauses as (
    select lag(event_minute) over (order by event_minute) as pause_start, event_minute as pause_end
    from minutes
),
unread as (
    select lag(window_end) over (order by window_start) as unread_from, window_start as unread_until
    from known_windows
    where source = $source and reads > 0
)
select
    $last_event::timestamp as last_event,
    date_diff('second', $last_event::timestamp, $read_up_to::timestamp) as silent_seconds,
    coalesce(max(date_diff('second', pause_start, pause_end)), 0) as usual_seconds
from pauses as p
where not exists (
    select 1
    from unread as u
    where u.unread_from < u.unread_until and u.unread_from < p.pause_end and u.unread_until > p.pause_start
);
