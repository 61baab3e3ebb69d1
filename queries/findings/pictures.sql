-- The events that pictures of findings show, the newest $most of each: its evidence, and where that is one event of a
-- finding that measures others, the failed and denied events of the same actor or address in the hour before it.
-- Both read events by a join on the time alone, which filters the scan of the rows: DuckDB passes no such filter down
-- where the join also compares keys, or where its other side is a materialized CTE.
with
marks as materialized (
    select r.finding_id, r.measures, f.event_time, f.event_key
    from finding_rows as r
    inner join finding_events as f on f.finding_id = r.finding_id
    where list_contains(string_split($ids, ','), r.finding_id)
),
mark_times as (
    select distinct event_time
    from finding_events
    where list_contains(string_split($ids, ','), finding_id)
),
at_marks as materialized (
    select
        e.source, e.event_key, e.event_time, e.event_name, e.outcome, e.bytesize, e.actor, e.ip_address
    from mark_times as t
    inner join events as e on e.event_time = t.event_time
),
evidence as materialized (
    select
        m.finding_id, m.measures, e.source, e.event_key, e.event_time, e.event_name, e.outcome, e.bytesize,
        e.actor, e.ip_address,
        count(*) over (partition by m.finding_id) as events
    from marks as m
    inner join at_marks as e on e.event_time = m.event_time and e.event_key = m.event_key
),
single_days as (
    select distinct
        event_time as until_time,
        event_time - interval '1' hour as after_time,
        cast(unnest([event_time, event_time - interval '1' hour]) as date) as event_date
    from evidence
    where events = 1
      and measures <> '[]'
),
hour_times as (
    select distinct e.event_time
    from single_days as d
    inner join events as e
        on e.event_date = d.event_date
        and e.event_time > d.after_time
        and e.event_time <= d.until_time
),
in_hours as materialized (
    select
        e.source, e.event_key, e.event_time, e.event_name, e.outcome, e.bytesize, e.actor, e.ip_address
    from hour_times as t
    inner join events as e on e.event_time = t.event_time
    where e.outcome in ('failed', 'denied')
),
before as (
    select a.finding_id, e.event_key, e.event_time, e.event_name, e.outcome, e.bytesize
    from evidence as a
    inner join in_hours as e
        on e.source = a.source
        and e.event_time > a.event_time - interval '1' hour
        and e.event_time <= a.event_time
        and e.event_key <> a.event_key
        and (e.actor = a.actor or e.ip_address = nullif(a.ip_address, 'internal'))
    where a.events = 1
      and a.measures <> '[]'
),
shown as (
    select finding_id, event_key, event_time, event_name, outcome, bytesize from evidence
    union all
    select finding_id, event_key, event_time, event_name, outcome, bytesize from before
)
select
    finding_id,
    strftime(event_time, '%Y-%m-%d %H:%M:%S') as event_time,
    event_name, outcome, bytesize
from shown
qualify row_number() over (partition by finding_id order by event_time desc, event_key) <= $most
order by finding_id, shown.event_time, event_key;
