-- title: Longest jobs
-- question: Which jobs ran the longest?
-- family: query_activity
-- grain: one row per job issued in the range that ran at least that many minutes
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: minutes integer = 30
with
jobs as (
    select
        source, activity_time, user_id, object_id, database_name, job_type, status, target_table,
        duration_seconds, query_text,
        actor
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and activity = 'job'
      and duration_seconds >= cast($minutes as integer) * 60
)
select
    activity_time as issued_at,
    actor,
    database_name,
    duration_seconds,
    status,
    object_id as job_id,
    job_type,
    target_table,
    user_id,
    substring(query_text from 1 for 80) as query_start,
    source
from jobs
order by duration_seconds desc, issued_at, job_id, source
