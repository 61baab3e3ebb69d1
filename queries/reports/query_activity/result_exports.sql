-- title: Where are query results exported to, and by whom?
-- family: query_activity
-- grain: one row per target and actor
-- param: since timestamp = 7d
-- param: until timestamp = now
with
exports as (
    select
        source, user_id, event_time, outcome, target_resource_id,
        -- One that failed names the job by the path alone.
        coalesce(resource_id, case when operation = 'POST /v3/job/result_export/:target_job_id' then split_part(
            split_part(split_part(substring(path from position('/result_export/' in path) + 15), '?', 1), '/', 1), '.', 1
        ) end) as job_id,
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
    count(*) filter (where outcome in ('denied', 'failed')) as failed,
    count(distinct job_id) as jobs,
    min(event_time) as first_at,
    max(event_time) as last_at,
    target_resource_id as target_id,
    max(user_id) as user_id,
    source
from exports
group by source, target, target_resource_id, actor
order by exports desc, failed desc, target, actor, target_id, source
