-- title: Service keys and tokens created
-- question: Who created access keys or tokens for services?
-- family: access
-- grain: one row per access key, web access token or personalization token created
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: medium
-- attack: T1098.001
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 0
-- condition: A person creates an access key, a web access token or a personalization token.
-- message: {actor} created a service key or token ({event_name})
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check who requested the key; delete it if no request exists. It works without a sign-in.
with
created as (
    select
        source, user_id, event_key, event_time, canonical_name, ip_address, actor,
        coalesce(resource_name, resource_id) as resource,
        case when user_id is null then coalesce(actor_email, nullif(nullif(ip_address, ''), 'internal'), 'unknown') end
            as account
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in (
          'provisioner_access_key_create', 'web_access_token_create', 'realtime_personalization_token_create'
      )
      and outcome = 'succeeded'
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource,
    ip_address,
    user_id,
    account,
    event_key,
    source
from created
order by event_time, actor, event_name, resource, ip_address, user_id, account, event_key, source
