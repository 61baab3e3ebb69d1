-- title: Failed and killed jobs
-- question: Which jobs failed or were killed?
-- family: query_activity
-- grain: one row per job issued in the range that failed or was killed, then or later
-- param: since timestamp = 7d
-- param: until timestamp = now
with
jobs as (
    select
        source, activity_time, finished_at, user_id, object_id, database_name, job_type, status,
        duration_seconds, actor,
        coalesce(killed_by_email, 'user ' || cast(killed_by_user_id as varchar)) as killed_by
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and activity = 'job'
      and status in ('error', 'failed', 'killed')
)
select
    activity_time as issued_at,
    actor,
    database_name,
    status,
    killed_by,
    duration_seconds,
    finished_at,
    object_id as job_id,
    job_type,
    user_id,
    source
from jobs
order by issued_at, job_id, source
