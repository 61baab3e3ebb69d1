-- title: Connections used right after creation
-- question: Which connections were created and used immediately?
-- family: egress
-- grain: one row per use within the hours after a user created the connection
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- detection: high
-- attack: T1537
-- key: source, user_id, account, connection_id
-- subject: user actor
-- at: event_time
-- reach: 1d
-- evidence: shown_events
-- condition: A person creates a connection, and it is used within {hours} h.
-- message: {actor} created the connection {connection} and used it within a day ({event_name})
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check where the connection leads and who asked for it.
-- A use is an export of a result or a transfer by the creator, even if it does not name the connection. Actors without a
-- name in the log are excluded.
with
found as (
    select
        source, user_id, event_key, event_time, canonical_name, resource_id, resource_name, ip_address, actor,
        case when user_id is null then actor end as account,
        coalesce(cast(user_id as varchar), actor) as person,
        -- The second resource of an export is the job whose result goes out.
        coalesce(nullif(target_connection, ''), nullif(target_resource_id, exported_job_id)) as target_id
    from events
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and outcome = 'succeeded'
      and canonical_name in (
          'connection_create', 'paas_create', 'job_result_export', 'data_transfer_create', 'data_transfer_run'
      )
      and actor <> 'unknown'
),
made as (
    select source, person, event_key, resource_id, resource_name, event_time
    from found
    where canonical_name in ('connection_create', 'paas_create')
),
uses as (
    select
        source, user_id, event_key, event_time, canonical_name, ip_address, actor, account, person, target_id
    from found
    where canonical_name in ('job_result_export', 'data_transfer_create', 'data_transfer_run')
      and event_time >= cast($since as timestamp)
),
pairs as (
    select
        uses.source, uses.user_id, uses.event_key, uses.event_time, uses.canonical_name, uses.ip_address, uses.actor,
        uses.account, uses.target_id, made.resource_name, made.resource_id as connection_id, made.event_key as made_key,
        made.event_time as made_at
    from made
    inner join uses
        on uses.source = made.source
        and uses.person = made.person
        and uses.event_time >= made.event_time
        and uses.event_time <= made.event_time + cast($hours as integer) * interval '1' hour
),
shown_events as (
    select event_key as hit_key, connection_id, event_key from pairs
    union all
    select event_key as hit_key, connection_id, made_key as event_key from pairs
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as connection,
    connection_id,
    max(made_at) as made_at,
    coalesce(target_id = connection_id or target_id = resource_name, 1 = 0) as is_named,
    ip_address,
    user_id,
    account,
    event_key,
    source
from pairs
group by
    source, user_id, event_key, event_time, canonical_name, ip_address, actor, account, target_id, resource_name,
    connection_id
order by
    event_time, actor, event_name, connection, connection_id, made_at, is_named, ip_address, user_id, account, event_key,
    source
