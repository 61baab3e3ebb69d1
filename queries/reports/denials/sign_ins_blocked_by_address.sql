-- title: Sign-ins blocked by address
-- question: Which sign-ins were blocked because of their address?
-- family: denials
-- grain: one row per address, user and reason
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
blocked as (
    select
        source, user_id, event_time, actor,
        coalesce(ip_address, 'not recorded') as ip_address,
        case canonical_name
            when 'sign_in_failed_by_ipwhitelist' then 'address list'
            else 'private connect'
        end as reason
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('sign_in_failed_by_ipwhitelist', 'sign_in_failed_by_private_connect')
)
select
    ip_address,
    actor,
    reason,
    count(*) as attempts,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from blocked
group by source, ip_address, actor, reason
order by attempts desc, ip_address, actor, reason, source
