-- title: Deletions
-- question: What was deleted, emptied or overwritten, by whom and how?
-- family: query_activity
-- grain: one row per event that deletes something, and per job, kind of statement and table or database from which it deletes
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=rows stack=way unit=count
-- way is event for a request, with the event name in deletion, and sql for a query, with the kind of statement. A
-- table_swap exchanges the rows of two tables; swapped_with is the other table. A request that was denied or failed is
-- listed with its outcome. The outcome of a query is that of its job.
with
-- part: destructive_statements
statements as (
    select distinct source, job_id, statement_kind, database_name, table_name
    from destructive_statements
),
deletions as (
    select
        source, event_time, actor, 'event' as way,
        coalesce(canonical_name, event_name) as deletion,
        case
            when canonical_name = 'partial_delete_create' then coalesce(target_table, resource_name, resource_id)
            else coalesce(resource_name, target_table, resource_id)
        end as object,
        case when canonical_name = 'table_swap' then coalesce(target_resource_name, target_resource_id) end as swapped_with,
        outcome, area, ip_address, resource_id as object_id, user_id, event_key
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (
          coalesce(canonical_name, event_name) like '%delete'
          or coalesce(canonical_name, event_name) like '%destroy'
          or canonical_name in (
              'partial_delete_create', 'table_swap', 'bulk_import_delete_part', 'bulk_import_delete_all_part'
          )
      )
    union all
    select
        j.source, j.activity_time as event_time, j.actor, 'sql' as way,
        s.statement_kind as deletion,
        coalesce(s.database_name || '.' || s.table_name, s.table_name, s.database_name) as object,
        cast(null as varchar) as swapped_with,
        case
            when j.status in ('success', 'finished') then 'succeeded'
            when j.status in ('error', 'failed', 'killed') then 'failed'
            else 'unknown'
        end as outcome,
        'Jobs' as area, j.ip_address, j.job_id as object_id, j.user_id, j.activity_key as event_key
    from query_jobs as j
    inner join statements as s on s.source = j.source and s.job_id = j.job_id
    where j.activity_time >= cast($since as timestamp)
      and j.activity_time < cast($until as timestamp)
)
select
    event_time,
    actor,
    way,
    deletion,
    object,
    swapped_with,
    outcome,
    area,
    ip_address,
    object_id,
    user_id,
    event_key,
    source
from deletions
order by
    event_time, actor, way, deletion, object, swapped_with, outcome, area, ip_address, object_id, user_id, event_key, source
