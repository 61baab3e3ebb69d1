-- title: Destructive statements
-- question: Which queries dropped, emptied or overwrote data?
-- family: query_activity
-- grain: one row per job, statement and table or database that it drops, deletes from, truncates or overwrites
-- param: since timestamp = 7d
-- param: until timestamp = now
with
-- part: destructive_statements
jobs as (
    select
        source, job_id, activity_time, actor, user_id, ip_address, status
    from query_jobs
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
)
select
    jobs.activity_time as issued_at,
    jobs.actor,
    statements.statement_kind,
    statements.database_name,
    statements.table_name,
    jobs.status,
    jobs.ip_address,
    statements.statement_number,
    jobs.job_id,
    jobs.user_id,
    jobs.source
from jobs
inner join destructive_statements as statements
    on statements.source = jobs.source and statements.job_id = jobs.job_id
order by issued_at, job_id, statement_number, database_name, table_name, source
