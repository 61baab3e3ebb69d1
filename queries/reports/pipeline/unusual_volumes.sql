-- title: Unusual volumes
-- question: Which events or users had far more or far fewer events than on the same weekday before?
-- family: pipeline
-- grain: one row per whole day (UTC) and event name or user with that many times more or fewer events than usual for the weekday
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: weeks integer = 4
-- param: factor integer = 5
-- param: least integer = 20
-- Compares a day with the same weekday of earlier weeks, of which at least two need events. It is listed if it is
-- outside of all of them and differs from their mean (usual_events) by `factor`. times is that ratio; rows are ranked
-- by it, then by the difference. For people only increases count, since holidays are no finding. A day without events
-- is listed if it was read: a disabled log shows as a decrease. A day counts as read if windows cover it completely;
-- for imported files, if events of the source exist before and after it. Unread days have no row and are reported as
-- not read. Days without events do not count as usual.
with
events_in_reach as (
    select
        source, event_date, event_time, actor,
        coalesce(event_name, 'no name') as event_name
    from events
    where event_time >= cast(cast($since as timestamp) as date) - 7 * cast($weeks as integer) * interval '1' day
      and event_time < cast($until as timestamp)
),
counted as (
    select
        source, event_date, 'event' as subject_kind, event_name as subject,
        count(*) as events, min(event_time) as first_at, max(event_time) as last_at
    from events_in_reach
    group by source, event_date, event_name
    union all
    select
        source, event_date, 'actor' as subject_kind, actor as subject,
        count(*) as events, min(event_time) as first_at, max(event_time) as last_at
    from events_in_reach
    where actor <> 'unknown'
    group by source, event_date, actor
),
present as (
    select distinct source, event_date from counted
),
subjects as (
    select distinct source, subject_kind, subject from counted
),
-- part: read_days
-- Days on which nothing came at all say nothing of what is usual.
known as (
    select a.source, a.event_date, p.event_date as other_date
    from read_days as a
    inner join present as p
        on p.source = a.source
        and p.event_date < a.event_date
        and p.event_date >= a.event_date - 7 * cast($weeks as integer) * interval '1' day
        and mod(date_diff('day', p.event_date, a.event_date), 7) = 0
),
usual as (
    select
        k.source, k.event_date, s.subject_kind, s.subject,
        count(*) as weekdays_before,
        sum(coalesce(c.events, 0)) as events_before,
        min(coalesce(c.events, 0)) as fewest_before,
        max(coalesce(c.events, 0)) as most_before
    from known as k
    inner join subjects as s on s.source = k.source
    left join counted as c
        on c.source = k.source
        and c.event_date = k.other_date
        and c.subject_kind = s.subject_kind
        and c.subject = s.subject
    group by k.source, k.event_date, s.subject_kind, s.subject
    having count(*) >= 2
),
compared as (
    select
        u.source, u.event_date, u.subject_kind, u.subject, u.weekdays_before, u.fewest_before, u.most_before,
        coalesce(c.events, 0) as events,
        1e0 * u.events_before / u.weekdays_before as usual_events
    from usual as u
    left join counted as c
        on c.source = u.source
        and c.event_date = u.event_date
        and c.subject_kind = u.subject_kind
        and c.subject = u.subject
),
unusual as (
    select
        source, event_date, subject_kind, subject, weekdays_before, fewest_before, most_before, events, usual_events,
        case when events > usual_events then 'more' else 'fewer' end as change,
        abs(events - usual_events) as difference,
        case
            when events > usual_events then events / case when usual_events < 1 then 1e0 else usual_events end
            else usual_events / case when events < 1 then 1e0 else events end
        end as factor
    from compared
    where events >= cast($least as integer)
      and events > most_before
      and events > cast($factor as integer) * usual_events
       or subject_kind = 'event'
      and usual_events >= cast($least as integer)
      and events < fewest_before
      and usual_events > cast($factor as integer) * events
)
select
    event_date as day,
    subject_kind,
    subject,
    change,
    cast(events as bigint) as events,
    cast(floor(usual_events) as bigint) as usual_events,
    cast(fewest_before as bigint) as fewest_before,
    cast(most_before as bigint) as most_before,
    weekdays_before,
    cast(floor(factor) as bigint) as times,
    source
from unusual
order by times desc, difference desc, day, subject_kind, subject, source
