-- title: Mass permission changes
-- question: Who changed permissions many times within an hour?
-- family: permission_changes
-- grain: one row per change that brings a user to the number of changes within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: changes integer = 25
-- param: minutes integer = 60
-- detection: high
-- attack: T1098
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 1h
-- measure: changes >= $changes
-- window: first_at
-- condition: A person changes permissions {changes} times within {minutes} min.
-- message: {actor} changed permissions {changes} times within an hour
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check whether a migration or a script of the administrators explains it. If not, compare with the previous permissions.
-- One event counts once, regardless of the number of rights. Deleting users does not count as a permission change.
with
changes_in_range as (
    select distinct
        source, event_key, event_time, user_id, actor, canonical_name, ip_address,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account
    from permission_changes
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and canonical_name <> 'user_delete'
),
counted as (
    select
        source, event_key, event_time, user_id, account, actor, canonical_name, ip_address,
        count(*) over last_minutes as changes,
        min(event_time) over last_minutes as first_at
    from changes_in_range
    window last_minutes as (
        partition by source, user_id, account
        order by event_time
        range between cast($minutes as integer) * interval '1' minute preceding and current row
    )
)
select
    event_time,
    actor,
    changes,
    first_at,
    canonical_name as event_name,
    ip_address,
    user_id,
    account,
    event_key,
    source
from counted
where changes >= cast($changes as integer)
  and event_time >= cast($since as timestamp)
order by event_time, actor, changes, first_at, event_name, ip_address, user_id, account, event_key, source
