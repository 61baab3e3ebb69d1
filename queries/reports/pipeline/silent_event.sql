-- title: Silent events
-- question: Which daily events are missing?
-- family: pipeline
-- grain: one row per event and silence, at the first event of the source after the first missing day
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 20
-- param: weekend_days integer = 8
-- detection: medium
-- attack: T1562.008
-- key: source, event_name
-- subject: event event_name
-- at: noticed_at
-- group: 0
-- reach: 61d
-- evidence: shown_events
-- condition: An event that occurred on {days} of the last 28 days, or on all {weekend_days} weekend days, is missing on a day of that kind.
-- message: {event_name} occurred on {days_before} of the 28 days before and is missing on {missing_day}
-- next: auditlake report run events_by_day --since {last_day}
-- runbook: Check whether the cause of the event still runs, and whether the service still records it.
-- A day from Monday to Friday is missing if the event occurred on `days` of the 28 days before it, a weekend day if it
-- occurred on all weekend days among them. Days are in UTC; gaps of the source of up to a month are detected.
with
came as (
    select source, canonical_name as event_name, event_date, min(event_time) as first_at,
        max(event_time) as last_at
    from events
    where event_time >= cast(cast($since as timestamp) - interval '70' day as date)
      and event_time < cast($until as timestamp)
    group by source, canonical_name, event_date
),
source_days as (
    select source, event_date, min(first_at) as first_at from came group by source, event_date
),
presences as (
    select
        source, event_name, event_date,
        lead(event_date) over (partition by source, event_name order by event_date) as next_date
    from came
    where event_name is not null
),
offsets as (
    select step from (values (1), (2), (3), (4), (5), (6), (7)) as o(step)
),
missing as (
    select
        p.source, p.event_name, p.event_date as last_day,
        cast(p.event_date + o.step * interval '1' day as date) as missing_day,
        mod(date_diff('day', date '2000-01-03', cast(p.event_date + o.step * interval '1' day as date)), 7) > 4
            as is_weekend
    from presences as p
    inner join offsets as o
        on p.next_date is null or p.next_date > cast(p.event_date + o.step * interval '1' day as date)
),
counted as (
    select
        m.source, m.event_name, m.last_day, m.missing_day, m.is_weekend,
        count(*) as days_before,
        count(*) filter (where mod(date_diff('day', date '2000-01-03', c.event_date), 7) > 4) as weekend_days_before
    from missing as m
    inner join presences as c
        on c.source = m.source and c.event_name = m.event_name
        and c.event_date < m.missing_day
        and c.event_date >= cast(m.missing_day - interval '28' day as date)
    group by m.source, m.event_name, m.last_day, m.missing_day, m.is_weekend
),
silences as (
    select source, event_name, last_day, min(missing_day) as missing_day
    from counted
    where not is_weekend and days_before >= cast($days as integer)
       or is_weekend and weekend_days_before >= cast($weekend_days as integer)
    group by source, event_name, last_day
),
noticed as (
    select s.source, s.event_name, s.last_day, s.missing_day, min(d.first_at) as noticed_at
    from silences as s
    inner join source_days as d on d.source = s.source and d.event_date > s.missing_day
    group by s.source, s.event_name, s.last_day, s.missing_day
),
-- The first event of the source after the missing day. DuckDB 1.5.6 passes up to 50 distinct times on to the scan.
noticing as (
    select e.source, e.event_time, min(e.event_key) as event_key
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.event_time in (select distinct noticed_at from noticed where noticed_at >= cast($since as timestamp))
    group by e.source, e.event_time
),
-- What shows the silence is the last event before it.
shown_events as (
    select e.event_key as hit_key, n.event_name, min(l.event_key) as event_key
    from noticed as n
    inner join noticing as e on e.source = n.source and e.event_time = n.noticed_at
    inner join came as c on c.source = n.source and c.event_name = n.event_name and c.event_date = n.last_day
    inner join events as l
        on l.source = c.source and l.canonical_name = c.event_name and l.event_time = c.last_at
    where l.event_time >= cast(cast($since as timestamp) - interval '70' day as date)
      and l.event_time < cast($until as timestamp)
    group by e.event_key, n.event_name
)
select
    n.noticed_at,
    n.event_name,
    n.missing_day,
    n.last_day,
    c.days_before,
    c.weekend_days_before,
    e.event_key,
    n.source
from noticed as n
inner join counted as c
    on c.source = n.source and c.event_name = n.event_name and c.last_day = n.last_day and c.missing_day = n.missing_day
inner join noticing as e on e.source = n.source and e.event_time = n.noticed_at
where n.noticed_at >= cast($since as timestamp)
  and n.noticed_at < n.missing_day + interval '32' day
order by noticed_at, event_name, missing_day, last_day, days_before, weekend_days_before, event_key, source
