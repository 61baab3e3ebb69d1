-- title: Late events
-- question: Which events arrived late?
-- family: pipeline
-- grain: one row per event name with events that a scheduled run fetched after another run had read their time
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: minutes integer = 60
with
runs as (
    select source, run_id, started_at, range_start, range_end from ingest_runs where command = 'ingest'
),
found as (
    select
        e.source, e.event_time, e.first_seen_at,
        coalesce(e.event_name, 'no name') as event_name,
        date_diff('second', e.event_time, e.first_seen_at) as late_seconds
    from events as e
    inner join runs as r on r.source = e.source and r.run_id = e.run_id
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and exists (
          select 1
          from runs as earlier
          where earlier.source = e.source
            and earlier.started_at < r.started_at
            and earlier.range_start <= e.event_time
            and earlier.range_end > e.event_time
            and earlier.started_at > e.event_time + cast($minutes as integer) * interval '1' minute
      )
)
select
    event_name,
    count(*) as events,
    min(late_seconds) as least_seconds,
    max(late_seconds) as most_seconds,
    min(event_time) as first_at,
    max(event_time) as last_at,
    source
from found
group by source, event_name
order by events desc, event_name, source
