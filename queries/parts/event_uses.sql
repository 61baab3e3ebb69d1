-- Successful events that need a right, and the database that they name. Exports are read by themselves: the job that
-- they export is in the path, a wide column that the other events are not read for.
event_uses as (
    select
        source, user_id, actor_email, event_key, event_time, canonical_name,
        case
            when canonical_name like 'database\_%' escape '\' then lower(resource_name)
            when coalesce(target_table, job, resource_name) like '%.%'
            then lower(split_part(coalesce(target_table, job, resource_name), '.', 1))
        end as database_name,
        case when canonical_name like 'database\_%' escape '\' then resource_id end as database_id
    from events
    where outcome = 'succeeded'
      and canonical_name <> 'job_result_export'
      and canonical_name in (
-- part: used_events
      )
    union all
    select
        source, user_id, actor_email, event_key, event_time, canonical_name,
        case
            when target_resource_name like '%.' || exported_job_id
            then lower(split_part(target_resource_name, '.', 1))
            when coalesce(target_table, job, resource_name) like '%.%'
            then lower(split_part(coalesce(target_table, job, resource_name), '.', 1))
        end as database_name,
        cast(null as varchar) as database_id
    from events
    where outcome = 'succeeded'
      and canonical_name = 'job_result_export'
),
