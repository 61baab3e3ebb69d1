-- title: Which rights of policies has no member used?
-- family: access
-- grain: one row per right on databases that a policy holds at the end of the range, and that nobody who belongs to it used
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bar policy rows
-- A use is an event, or what the text of a job reads or writes, that needs the right or may need it (rules:
-- schemas/uses.json). Where the log does not name the database, it counts for each. members is how many belong to the
-- policy. Without any, nothing it holds is used. Rights since before the log are here, too (held_since is empty).
with
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
rights as (
    select distinct
        source, policy_id, policy_name, operation, database_id, object_name, reach, held_since, granted_by
    from policy_rights
    where resource_kind = 'Databases'
      and coalesce(valid_from <= cast($until as timestamp), true)
      and coalesce(valid_to > cast($until as timestamp), true)
),
members as (
    select distinct source, object_id as policy_id, user_id
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and coalesce(valid_from <= cast($until as timestamp), true)
      and coalesce(valid_to > cast($until as timestamp), true)
),
texts as (
    select distinct source, job_id, lower(database_name) as database_name, access
    from query_tables
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
),
done as (
    select
        j.source, j.user_id,
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
        source, user_id,
        case
            when canonical_name like 'database\_%' escape '\' then lower(resource_name)
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
needed as (
    select distinct done.source, done.user_id, done.database_name, done.database_id, rules.operation
    from done
    inner join rules on rules.what = done.what
    where done.user_id is not null
),
placed as (
    select distinct
        needed.source, needed.user_id, needed.operation, coalesce(needed.database_id, databases.database_id) as database_id
    from needed
    left join databases
        on databases.source = needed.source
        and lower(databases.database_name) = needed.database_name
        and needed.database_id is null
),
used as (
    select distinct
        members.source, members.policy_id, placed.operation, placed.database_id,
        coalesce(databases.creator_user_id = placed.user_id, false) as is_own
    from placed
    inner join members
        on members.source = placed.source
        and members.user_id = placed.user_id
    left join databases
        on databases.source = placed.source
        and databases.database_id = placed.database_id
),
counts as (
    select source, policy_id, count(*) as members
    from members
    group by source, policy_id
)
select
    coalesce(rights.policy_name, 'policy ' || rights.policy_id) as policy,
    rights.operation,
    rights.reach,
    coalesce(rights.object_name, rights.database_id) as database_name,
    coalesce(counts.members, 0) as members,
    rights.held_since,
    rights.granted_by,
    rights.policy_id,
    rights.database_id,
    rights.source
from rights
left join counts on counts.source = rights.source and counts.policy_id = rights.policy_id
where not exists (
    select 1 from used
    where used.source = rights.source
      and used.policy_id = rights.policy_id
      and (
          rights.operation = 'manage'
          or used.operation = rights.operation
          or rights.operation = 'owner_manage' and used.is_own
      )
      and (rights.database_id is null or used.database_id is null or used.database_id = rights.database_id)
)
order by
    policy, rights.operation, rights.reach, database_name, members, rights.held_since, rights.granted_by,
    rights.policy_id, rights.database_id, rights.source
