-- title: Owner passwords reset
-- question: Who reset the password of a schema owner?
-- family: access
-- grain: one row per reset of the password of a schema owner
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: high
-- attack: T1098.001
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 0
-- condition: A person resets the password of a schema owner.
-- message: {actor} reset the owner password of {schema_name}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Ask the person and the owner of the schema. The new password gives access to all tables of the schema.
with
resets as (
    select
        source, user_id, event_key, event_time, ip_address, actor,
        coalesce(resource_name, resource_id, resource_path) as schema_name,
        case when user_id is null then coalesce(actor_email, nullif(nullif(ip_address, ''), 'internal'), 'unknown') end
            as account
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'provisioner_schema_reset_owner_password'
      and outcome = 'succeeded'
)
select
    event_time,
    actor,
    schema_name,
    ip_address,
    user_id,
    account,
    event_key,
    source
from resets
order by event_time, actor, schema_name, ip_address, user_id, account, event_key, source
