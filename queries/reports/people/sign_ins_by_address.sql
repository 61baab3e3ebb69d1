-- title: Sign-ins by address
-- question: Who signs in from which address, and how?
-- family: people
-- grain: one row per user, address and kind of sign-in
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
attempts as (
    select
        source, user_id, event_time, outcome, actor,
        coalesce(canonical_name, event_name) as event_name,
        coalesce(ip_address, 'not recorded') as ip_address
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (
          denial_kind = 'failed_sign_in'
          or canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in')
      )
)
select
    actor,
    ip_address,
    event_name,
    count(*) filter (where outcome = 'succeeded') as sign_ins,
    count(*) filter (where outcome in ('denied', 'failed')) as failures,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from attempts
group by source, actor, ip_address, event_name
order by actor, ip_address, event_name, source
