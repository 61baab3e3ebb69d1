-- What people did with databases in the range: per person, operation that it needed or may have needed, and database,
-- when last. queries/access/uses.sql tells the same up to a moment. A database is found by every name that it ever had,
-- and a name that several had counts for each. Where no event names one so, database_id is null. What the log has under
-- an e-mail alone counts for whoever had that.
rules (what, operation) as (
    values
        ('job read', 'query'), ('job written', 'edit'), ('job written', 'import'), ('job not_read', 'query'),
        ('job not_read', 'edit'), ('job not_read', 'import'), ('bulk_import_create', 'import'),
        ('bulk_import_delete', 'import'), ('bulk_import_finished', 'import'), ('bulk_import_modify', 'import'),
        ('database_create', 'owner_manage'), ('database_create', 'manage'), ('database_delete', 'owner_manage'),
        ('database_delete', 'manage'), ('database_modify', 'owner_manage'), ('database_modify', 'manage'),
        ('database_permission_modify', 'owner_manage'), ('database_permission_modify', 'manage'),
        ('data_transfer_run', 'import'), ('file_upload_import_create', 'import'), ('job_result_download', 'download'),
        ('job_result_download', 'query'), ('job_result_export', 'download'), ('job_result_export', 'query'),
        ('job_result_show', 'query'), ('partial_delete_create', 'edit'), ('table_change_database', 'edit'),
        ('table_create', 'edit'), ('table_create', 'import'), ('table_delete', 'edit'),
        ('table_import_create', 'import'), ('table_insert_finished', 'import'), ('table_modify', 'edit'),
        ('table_preview', 'query'), ('table_swap', 'edit'), ('web_upload_import_finished', 'import')
),
texts as (
    select distinct source, job_id, lower(database_name) as database_name, access
    from query_tables
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
),
emails as (
    select distinct source, user_id, name as email
    from user_names
    where kind in ('email', 'former_email')
      and user_id is not null
),
done as (
    select
        j.source, j.user_id, case when j.user_id is null then j.actor_email end as email, j.activity_time as used_at,
        case when t.job_id is null then lower(j.database_name) else t.database_name end as database_name,
        cast(null as varchar) as database_id,
        'job ' || coalesce(t.access, 'not_read') as what
    from query_activity as j
    left join texts as t on t.source = j.source and t.job_id = j.object_id
    where j.activity = 'job'
      and j.activity_time >= cast($since as timestamp)
      and j.activity_time < cast($until as timestamp)
    union all
    select
        source, user_id, case when user_id is null then actor_email end as email, event_time as used_at,
        case
            when canonical_name like 'database\_%' escape '\' then lower(resource_name)
            when target_resource_name like '%.' || exported_job_id
            then lower(split_part(target_resource_name, '.', 1))
            when coalesce(target_table, job, resource_name) like '%.%'
            then lower(split_part(coalesce(target_table, job, resource_name), '.', 1))
        end as database_name,
        case when canonical_name like 'database\_%' escape '\' then resource_id end as database_id,
        canonical_name as what
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and outcome = 'succeeded'
      and canonical_name in (select what from rules)
),
last_done as (
    select source, user_id, email, database_name, database_id, what, max(used_at) as used_at
    from done
    group by source, user_id, email, database_name, database_id, what
),
needed as (
    select
        done.source, coalesce(done.user_id, emails.user_id) as user_id, done.database_name, done.database_id,
        rules.operation, max(done.used_at) as last_used_at
    from last_done as done
    inner join rules on rules.what = done.what
    left join emails on emails.source = done.source and emails.email = done.email
    where coalesce(done.user_id, emails.user_id) is not null
    group by
        done.source, coalesce(done.user_id, emails.user_id), done.database_name, done.database_id, rules.operation
),
names as (
    select distinct source, lower(resource_name) as database_name, resource_id as database_id
    from access_event_rows
    where canonical_name in ('database_create', 'database_modify', 'database_permission_modify', 'database_delete')
      and is_successful
      and resource_id <> ''
      and resource_name <> ''
),
placed as (
    select
        needed.source, needed.user_id, needed.operation, needed.last_used_at,
        coalesce(needed.database_id, names.database_id) as database_id
    from needed
    left join names
        on names.source = needed.source
        and names.database_name = needed.database_name
        and needed.database_id is null
),
uses as (
    select
        placed.source, placed.user_id, placed.operation, placed.database_id,
        coalesce(databases.creator_user_id = placed.user_id, false) as is_own,
        max(placed.last_used_at) as last_used_at
    from placed
    left join databases
        on databases.source = placed.source
        and databases.database_id = placed.database_id
    group by
        placed.source, placed.user_id, placed.operation, placed.database_id,
        coalesce(databases.creator_user_id = placed.user_id, false)
),
