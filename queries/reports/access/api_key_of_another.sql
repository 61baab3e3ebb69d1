-- title: API keys of other users
-- question: Who created or read an API key of another user?
-- family: access
-- grain: one row per API key created or read by a user other than its owner
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: high
-- attack: T1098.001
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A person creates or reads an API key of another person.
-- message: {actor} created or read an API key of {owner}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Ask the owner whether they wanted it. If not, delete the key and look at what it was used for.
-- No row if the owner or the person is not known well enough to distinguish them.
with
key_events as (
    select
        source, user_id, event_key, event_time, actor_email, actor, canonical_name, ip_address, path,
        affected_user_id, affected_user
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('user_apikey_generate', 'user_apikey_download')
      and outcome = 'succeeded'
),
-- part: owners
-- part: email_owners
-- part: key_owners
others as (
    select source, event_key, coalesce(owner_email, 'user ' || cast(owner_id as varchar)) as owner
    from key_owners
    where case
        when owner_id is not null and actor_id is not null then owner_id <> actor_id
        else coalesce(owner_email <> actor_email, false)
    end
)
select
    k.event_time,
    k.actor,
    o.owner,
    k.canonical_name as event_name,
    k.ip_address,
    k.user_id,
    case when k.user_id is null then k.actor_email end as account,
    k.event_key,
    k.source
from others as o
inner join key_events as k on k.source = o.source and k.event_key = o.event_key
order by event_time, actor, owner, event_name, ip_address, user_id, account, event_key, source
