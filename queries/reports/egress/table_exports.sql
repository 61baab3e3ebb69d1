-- title: Table exports
-- question: Which tables were exported, by whom and from where?
-- family: egress
-- grain: one row per job that exports a table
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=rows stack=database_name unit=count
-- An export is a request to /v3/export/run or a job of the type ExportJob. The table is the target of the job, else the
-- one in the path. job_status is empty for a request that was denied.
with
requests as (
    select
        event_key, source, user_id, event_time, outcome, ip_address, resource_id, target_table, database_name,
        actor,
        case when operation = 'POST /v3/export/run/:database_name/:table_name' then
            split_part(substring(path from position('export/run/' in path) + 11), '?', 1)
        end as named
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (
          operation = 'POST /v3/export/run/:database_name/:table_name'
          or canonical_name = 'job_issue' and lower(job_type) = 'exportjob'
      )
),
exports as (
    select
        event_key, source, user_id, event_time, outcome, ip_address, resource_id, actor,
        lower(case
            when target_table like '%.%' then split_part(target_table, '.', 1)
            else coalesce(nullif(split_part(named, '/', 1), ''), database_name)
        end) as database_name,
        lower(case
            when target_table like '%.%' then substring(target_table from position('.' in target_table) + 1)
            when target_table <> '' then target_table
            when position('/' in named) > 0
            then split_part(split_part(substring(named from position('/' in named) + 1), '/', 1), '.', 1)
        end) as table_name
    from requests
)
select
    exports.event_time,
    exports.actor,
    exports.database_name,
    exports.table_name,
    exports.outcome,
    jobs.status as job_status,
    exports.ip_address,
    exports.resource_id as job_id,
    exports.user_id,
    exports.event_key,
    exports.source
from exports
left join query_jobs as jobs on jobs.source = exports.source and jobs.job_id = exports.resource_id
order by
    event_time, actor, database_name, table_name, outcome, job_status, ip_address, job_id, user_id, event_key, source
