-- name: windows
-- Windows that overlap the days since a moment, in order of time; needs the table known_windows.
select
    source, state,
    strftime(window_start, '%Y-%m-%dT%H:%M:%SZ') as window_start,
    strftime(window_end, '%Y-%m-%dT%H:%M:%SZ') as window_end
from known_windows
where window_end > cast($since as timestamp)
  and ($source is null or source = $source)
order by source, window_start, window_end, state;

-- name: days
-- Events per day since a moment.
select source, cast(event_date as varchar) as day, count(*) as events
from event_rows
where event_time >= cast($since as timestamp)
  and ($source is null or source = $source)
group by source, event_date
order by source, day;

-- name: unknown
-- Event types that the reference does not have, the most frequent first.
select
    event_name,
    count(*) as events,
    strftime(min(event_time), '%Y-%m-%dT%H:%M:%SZ') as first_at,
    strftime(max(event_time), '%Y-%m-%dT%H:%M:%SZ') as last_at
from events
where catalog_match = 'unknown_event'
  and ($source is null or source = $source)
group by event_name
order by events desc, event_name
limit 20;
