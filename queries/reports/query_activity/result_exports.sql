-- title: Where are query results exported to, and by whom?
-- family: query_activity
-- grain: one row per target and actor
-- param: since timestamp = 7d
-- param: until timestamp = now
with
exports as (
    select
        source, user_id, event_time, resource_id, outcome, target_resource_id,
        actor,
        coalesce(target_resource_name, target_resource_id, 'not recorded') as target
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('job_result_export', 'job_result_export_failed')
)
select
    target,
    actor,
    count(*) filter (where outcome = 'succeeded') as exports,
    count(*) filter (where outcome <> 'succeeded') as failed,
    count(distinct resource_id) as jobs,
    min(event_time) as first_at,
    max(event_time) as last_at,
    target_resource_id as target_id,
    max(user_id) as user_id,
    source
from exports
group by source, target, target_resource_id, actor
order by exports desc, failed desc, target, actor, target_id, source
