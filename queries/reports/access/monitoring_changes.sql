-- title: Monitoring changes
-- question: Who switched schedules, alerts or log settings on or off?
-- family: access
-- grain: one row per change of a schedule, an alert or a log setting, including denied changes
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
-- Schedules of workflows and of saved queries, account settings with log, audit, alert, notification or monitoring in
-- their name, and events outside the reference with such a name. effect is switched off, switched on or changed, also
-- for denied attempts.
with
named as (
    select
        event_key, source, user_id, event_time, canonical_name, event_name, operation, path, outcome, ip_address, actor,
        attribute_name, old_value, new_value, resource_name, resource_id,
        lower(case
            when canonical_name = 'account_modify' then coalesce(attribute_name, '')
            when canonical_name is null then coalesce(event_name, '')
            else ''
        end) as setting,
        lower(trim(replace(coalesce(new_value, ''), '"', ''))) as new_state
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
changes as (
    select
        event_key, source, user_id, event_time, outcome, ip_address, actor, attribute_name, old_value, new_value,
        resource_id,
        coalesce(canonical_name, event_name) as event_name,
        coalesce(resource_name, attribute_name, resource_id, path, 'not recorded') as object,
        case
            when setting <> '' then 'setting'
            when operation like '%/v3/schedule/%' then 'saved query schedule'
            else 'workflow schedule'
        end as kind,
        case
            when canonical_name = 'workflow_schedule_disable' or operation = 'POST /api/schedules/{id}/disable'
            then 'switched off'
            when canonical_name = 'workflow_schedule_enable' or operation = 'POST /api/schedules/{id}/enable'
            then 'switched on'
            when canonical_name = 'workflow_schedule_skip' or operation = 'POST /api/schedules/{id}/skip'
            then 'switched off'
            when operation = 'POST /v3/schedule/delete/:name' or canonical_name = 'workflow_project_delete'
            then 'switched off'
            when operation = 'POST /v3/schedule/create/:name' then 'switched on'
            when setting <> '' and new_state in ('false', 'off', 'disabled', 'disable', 'inactive', 'none', 'no', '0')
            then 'switched off'
            when setting <> '' and new_state in ('true', 'on', 'enabled', 'enable', 'active', 'yes', '1')
            then 'switched on'
            when setting like '%disable%' or setting like '%delete%' or setting like '%mute%' then 'switched off'
            when setting like '%enable%' or setting like '%create%' then 'switched on'
            else 'changed'
        end as effect
    from named
    where canonical_name in (
          'workflow_schedule_disable', 'workflow_schedule_enable', 'workflow_schedule_skip', 'workflow_schedule_backfill',
          'workflow_project_delete'
      )
       or operation in (
          'POST /api/schedules/{id}/disable', 'POST /api/schedules/{id}/enable', 'POST /api/schedules/{id}/skip',
          'POST /api/schedules/{id}/backfill',
          'POST /v3/schedule/create/:name', 'GET /v3/schedule/update/:old_name', 'POST /v3/schedule/delete/:name'
      )
       or setting like '%log%' and setting not like '%login%' and setting not like '%logo%' and setting not like '%catalog%'
       or setting like '%audit%'
       or setting like '%alert%'
       or setting like '%notif%'
       or setting like '%monitor%'
)
select
    event_time,
    actor,
    effect,
    kind,
    object,
    event_name,
    outcome,
    attribute_name,
    old_value,
    new_value,
    ip_address,
    resource_id,
    user_id,
    event_key,
    source
from changes
order by
    event_time, actor, effect, kind, object, event_name, outcome, attribute_name, old_value, new_value, ip_address,
    resource_id, user_id, event_key, source
