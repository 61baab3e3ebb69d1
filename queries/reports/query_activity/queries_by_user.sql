-- title: Queries by user
-- question: Who runs the most queries?
-- family: query_activity
-- grain: one row per user
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=jobs unit=count link=report:user_timeline
with
activity as (
    select
        source, activity, activity_time, database_name, status, duration_seconds, user_id,
        actor
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
)
select
    actor,
    count(*) filter (where activity = 'job') as jobs,
    count(*) filter (where activity = 'job' and status in ('error', 'failed')) as failed,
    count(*) filter (where activity = 'job' and status = 'killed') as killed,
    cast(coalesce(sum(duration_seconds), 0) as bigint) as total_seconds,
    count(*) filter (where activity <> 'job') as saved_query_actions,
    count(distinct database_name) as databases,
    min(activity_time) as first_at,
    max(activity_time) as last_at,
    max(user_id) as user_id,
    source
from activity
group by source, actor
order by jobs desc, saved_query_actions desc, actor, source
