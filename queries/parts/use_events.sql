-- part: use_rules
-- Uses of databases in the range that need or may need a right: one row per event, and per access in the text of a job.
-- Events with only an e-mail count for its owners. A database matches by every name that it ever had (names); a name of
-- several databases counts for each.
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
-- part: event_uses
done as (
    select
        j.source, j.user_id, case when j.user_id is null then j.actor_email end as email, j.activity_time as used_at,
        case when t.job_id is null then j.database_name else t.database_name end as database_name,
        cast(null as varchar) as database_id,
        'job ' || coalesce(t.access, 'not_read') as what
    from query_jobs as j
    left join texts as t on t.source = j.source and t.job_id = j.job_id
    where j.activity_time >= cast($since as timestamp)
      and j.activity_time < cast($until as timestamp)
    union all
    select
        source, user_id, case when user_id is null then actor_email end as email, event_time as used_at,
        database_name, database_id, canonical_name as what
    from event_uses
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
names as (
    select distinct source, lower(resource_name) as database_name, resource_id as database_id
    from access_event_rows
    where canonical_name in ('database_create', 'database_modify', 'database_permission_modify', 'database_delete')
      and is_successful
      and resource_id <> ''
      and resource_name <> ''
),
