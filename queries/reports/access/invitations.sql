-- title: Invitations and removals of users
-- question: Who was invited, joined or was removed?
-- family: access
-- grain: one row per invitation, acceptance or removal of a user
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
found as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, resource_id, resource_name,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('user_invite', 'user_invite_accepted', 'user_delete')
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as invited,
    resource_id as invited_id,
    outcome,
    ip_address,
    user_id,
    event_key,
    source
from found
order by event_time, actor, event_name, invited, invited_id, outcome, ip_address, user_id, event_key, source
