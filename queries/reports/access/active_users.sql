-- title: Active users
-- question: Who was active, and how much?
-- family: access
-- grain: one row per user with an event in the range
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=events unit=count link=report:user_timeline
with
found as (
    select
        source, user_id, event_time, event_date, ip_address, outcome, canonical_name,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and coalesce(actor_email, cast(user_id as varchar)) is not null
)
select
    actor,
    count(*) as events,
    count(distinct event_date) as active_days,
    count(*) filter (
        where canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in') and outcome = 'succeeded'
    ) as sign_ins,
    count(*) filter (where outcome in ('denied', 'failed')) as refused,
    count(distinct nullif(ip_address, 'internal')) as addresses,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from found
group by source, actor
order by events desc, actor, source
