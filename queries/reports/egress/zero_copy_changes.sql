-- title: Zero-copy configuration changes
-- question: Who created, changed or removed zero-copy configurations?
-- family: egress
-- grain: one row per successful event about a configuration
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: medium
-- attack: T1537
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 0
-- condition: A zero-copy configuration is created, changed or deleted.
-- message: {actor} changed a zero-copy configuration by {event_name}: {configuration}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check which account receives the data, and whether the change was requested.
with
found as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, attribute_name, new_value, old_value, resource_id, resource_name,
        actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and area = 'Zero-copy'
      and outcome not in ('denied', 'failed')
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as configuration,
    resource_id as configuration_id,
    attribute_name,
    old_value,
    new_value,
    outcome,
    ip_address,
    user_id,
    account,
    event_key,
    source
from found
order by
    event_time, actor, event_name, configuration, configuration_id, attribute_name, old_value, new_value,
    outcome, ip_address, user_id, account, event_key, source
