-- title: Disabled monitoring
-- question: Who disabled schedules, killed attempts or deleted secrets or projects of workflows?
-- family: access
-- grain: one row per such event of a person
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: medium
-- attack: T1562
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 0
-- condition: A person disables a workflow schedule, kills an attempt, or deletes a workflow secret or project.
-- message: {actor} disabled monitoring with {event_name}: {workflow}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check whether the workflow watches or exports something that should continue.
-- A person has an id and does not call from inside the service.
with
found as (
    select
        source, user_id, event_key, event_time, actor, canonical_name, ip_address,
        coalesce(resource_name, resource_id, path, 'not recorded') as workflow
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in (
          'workflow_schedule_disable', 'workflow_attempt_kill', 'workflow_project_secret_delete', 'workflow_project_delete'
      )
      and outcome = 'succeeded'
      and user_id is not null
      and coalesce(ip_address, '') <> 'internal'
)
select
    event_time,
    actor,
    canonical_name as event_name,
    workflow,
    ip_address,
    user_id,
    cast(null as varchar) as account,
    event_key,
    source
from found
order by event_time, actor, event_name, workflow, ip_address, user_id, account, event_key, source
