-- title: Account and password policy changes
-- question: Who changed the account or its password policy?
-- family: access
-- grain: one row per change of the account or of its password policy
-- param: since timestamp = 7d
-- param: until timestamp = now
with
found as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, attribute_name, new_value, old_value,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('account_modify', 'password_policy_modify')
)
select
    event_time,
    actor,
    canonical_name as event_name,
    attribute_name,
    old_value,
    new_value,
    outcome,
    ip_address,
    user_id,
    event_key,
    source
from found
order by event_time, actor, event_name, attribute_name, old_value, new_value, outcome, ip_address, user_id, event_key, source
