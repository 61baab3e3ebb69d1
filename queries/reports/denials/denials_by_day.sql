-- title: Denials by day
-- question: How many denials were there each day?
-- family: denials
-- grain: one row per day and denial kind
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=day y=denials stack=denial_kind usual=weekday unit=count link=events
-- scope: range
-- For partial days at the ends of the range, only the events in the range count.
with
events_in_range as (
    select
        source, event_date, outcome, ip_address, actor,
        coalesce(denial_kind, 'other') as denial_kind
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
days as (
    select source, event_date, count(*) as events
    from events_in_range
    group by source, event_date
),
denied as (
    select
        source, event_date, denial_kind,
        count(*) as denials,
        count(distinct actor) as actors,
        count(distinct nullif(ip_address, 'internal')) as addresses
    from events_in_range
    where outcome in ('denied', 'failed')
    group by source, event_date, denial_kind
)
select
    denied.event_date as day,
    denied.denial_kind,
    denied.denials,
    denied.actors,
    denied.addresses,
    days.events as events_of_day,
    cast(floor(1e4 * denied.denials / days.events) as bigint) as per_10000_events,
    denied.source
from denied
inner join days
    on days.source = denied.source
    and days.event_date = denied.event_date
order by day, denial_kind, source
