-- title: HTTP calls of workflows
-- question: Which workflows called external addresses?
-- family: egress
-- grain: one row per call
-- param: since timestamp = 7d
-- param: until timestamp = now
with
found as (
    select
        event_key, source, user_id, event_time, canonical_name, outcome, ip_address, event_detail, resource_name, revision_created_user,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'workflow_http_call'
)
select
    event_time,
    actor,
    canonical_name as event_name,
    resource_name as workflow,
    event_detail as call,
    revision_created_user as revision_by,
    outcome,
    ip_address,
    user_id,
    event_key,
    source
from found
order by event_time, actor, event_name, workflow, call, revision_by, outcome, ip_address, user_id, event_key, source
