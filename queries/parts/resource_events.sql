-- Events of the range that name a resource or change rights on it; is_named is 0 for those that only change rights.
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
moments as (
    select activity_time as event_time
    from jobs_on_databases
    where database_name = lower(cast($resource as varchar))
    union
    select event_time
    from rights_on_it
),
-- Candidates, by recorded columns and by the jobs and rights of the resource.
likely as (
    select
        e.source, e.event_time, e.event_key, e.actor, e.resource_id, e.resource_name, e.resource_path, e.target_table,
        e.target_resource_id, e.target_resource_name, e.database_name
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and (cast($before as timestamp) is null or e.event_time < cast($before as timestamp))
      and (
          lower(e.resource_id) = lower(cast($resource as varchar))
          or lower(e.resource_name) = lower(cast($resource as varchar))
          or lower(e.resource_path) = lower(cast($resource as varchar))
          or lower(e.target_table) = lower(cast($resource as varchar))
          or lower(e.target_resource_id) = lower(cast($resource as varchar))
          or lower(e.target_resource_name) = lower(cast($resource as varchar))
          -- What is in a database begins with its name.
          or position(
              lower(cast($resource as varchar)) || '.' in lower(coalesce(e.target_table, e.resource_name))
          ) = 1
      )
    union
    select
        e.source, e.event_time, e.event_key, e.actor, e.resource_id, e.resource_name, e.resource_path, e.target_table,
        e.target_resource_id, e.target_resource_name, e.database_name
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and (cast($before as timestamp) is null or e.event_time < cast($before as timestamp))
      and e.event_time in (select m.event_time from moments as m)
),
looked_at as (
    select
        e.source, e.event_time, e.event_key, nullif(e.actor, 'unknown') as person,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        coalesce(j.database_name, e.database_name) as database_name,
        case when r.event_key is not null then 1 else 0 end as is_of_rights
    from likely as e
    left join jobs_on_databases as j
        on j.source = e.source and j.activity_time = e.event_time and j.activity_key = e.event_key
    left join rights_on_it as r
        on r.source = e.source and r.event_time = e.event_time and r.event_key = e.event_key
),
-- Compared one by one: among several computed values, in gives other rows on an engine (seen with Trino 476).
compared as (
    select
        source, event_time, event_key, person, is_of_rights,
        case
            when lower(resource_id) = lower(cast($resource as varchar))
                or lower(resource_name) = lower(cast($resource as varchar))
                or lower(resource_path) = lower(cast($resource as varchar))
                or lower(target_table) = lower(cast($resource as varchar))
                or lower(target_resource_id) = lower(cast($resource as varchar))
                or lower(target_resource_name) = lower(cast($resource as varchar))
                or database_name = lower(cast($resource as varchar))
            then 1 else 0
        end as is_named
    from looked_at
),
found as (
    select source, event_time, event_key, person, is_named
    from compared
    where is_named = 1 or is_of_rights = 1
),
