-- title: New addresses of users
-- question: Which users came from a new address?
-- family: people
-- grain: one row per user and address first used in the range, not in the days before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
with
uses as (
    select
        source, user_id, ip_address, event_time,
        actor
    from events
    where event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and ip_address <> 'internal'
      and coalesce(actor_email, cast(user_id as varchar)) is not null
),
firsts as (
    select
        source, actor, ip_address,
        min(event_time) as first_at,
        max(event_time) as last_at,
        count(*) as events,
        max(user_id) as user_id
    from uses
    group by source, actor, ip_address
    having min(event_time) >= cast($since as timestamp)
)
select
    firsts.first_at,
    firsts.actor,
    firsts.ip_address,
    firsts.events,
    sightings.subject is not null as new_to_all,
    firsts.last_at,
    firsts.user_id,
    firsts.source
from firsts
left join sightings
    on sightings.source = firsts.source
    and sightings.subject_kind = 'address'
    and sightings.subject = firsts.ip_address
    and sightings.first_seen_at = firsts.first_at
order by first_at, actor, ip_address, source
