-- title: Timeline of a resource
-- question: What happened to a resource?
-- family: people
-- grain: one row per event that names the resource
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: resource text required
-- param: days integer = 30
-- The resource is an id, a name or a path, in any case; a database stands for all that names it.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
jobs_on_databases as (
    select source, activity_time, activity_key, lower(database_name) as database_name
    from query_jobs
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and database_name <> ''
),
rights_on_it as (
    select distinct source, event_time, event_key
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (lower(object_id) = lower(cast($resource as varchar)) or lower(object_name) = lower(cast($resource as varchar)))
),
looked_at as (
    select
-- part: entry_columns
        nullif(e.actor, 'unknown') as person,
        j.database_name as job_database,
        case when r.event_key is not null then 1 else 0 end as is_of_rights
    from events as e
    left join jobs_on_databases as j
        on j.source = e.source and j.activity_time = e.event_time and j.activity_key = e.event_key
    left join rights_on_it as r
        on r.source = e.source and r.event_time = e.event_time and r.event_key = e.event_key
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
),
-- Compared one by one: among several computed values, in gives other rows on an engine (seen with Trino 476).
found as (
    select
-- part: entry_columns
        e.person,
        case
            when lower(resource_id) = lower(cast($resource as varchar))
                or lower(resource_name) = lower(cast($resource as varchar))
                or lower(resource_path) = lower(cast($resource as varchar))
                or lower(target_table) = lower(cast($resource as varchar))
                or lower(target_resource_id) = lower(cast($resource as varchar))
                or lower(target_resource_name) = lower(cast($resource as varchar))
                or coalesce(job_database, database_name) = lower(cast($resource as varchar))
            then 1 else 0
        end as is_named
    from looked_at as e
    where is_of_rights = 1
       or lower(resource_id) = lower(cast($resource as varchar))
       or lower(resource_name) = lower(cast($resource as varchar))
       or lower(resource_path) = lower(cast($resource as varchar))
       or lower(target_table) = lower(cast($resource as varchar))
       or lower(target_resource_id) = lower(cast($resource as varchar))
       or lower(target_resource_name) = lower(cast($resource as varchar))
       or coalesce(job_database, database_name) = lower(cast($resource as varchar))
),
changes as (
    select
        c.source, c.event_time, c.event_key, c.change, c.operation, c.object_id, c.object_name, c.subject_kind,
        c.subject_id, c.subject_name
    from permission_changes as c
    inner join found as f
        on f.source = c.source and f.event_time = c.event_time and f.event_key = c.event_key
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
      -- Of an event that does not name it, the rights on it alone.
      and (f.is_named = 1 or lower(c.object_id) = lower(cast($resource as varchar)) or lower(c.object_name) = lower(cast($resource as varchar)))
),
-- part: history
-- part: entries
