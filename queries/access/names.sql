-- Every name that the log or the directory has given to people, policies and databases, and whether it is the last one.
with
told as (
    select
        case when canonical_name like 'database_%' then 'database' else 'policy' end as kind,
        source, resource_id as id, resource_name as name, event_time as named_at
    from access_event_rows
    where is_successful
      and resource_id <> ''
      and (canonical_name like 'permission_policy_%' or canonical_name like 'database_%')
    union all
    select 'policy' as kind, source, policy_id as id, null as name, read_at as named_at
    from policy_snapshots
    union all
    select 'user' as kind, source, cast(user_id as varchar) as id, email as name, valid_from as named_at
    from user_history
    union all
    select 'user' as kind, source, cast(user_id as varchar) as id, name, valid_from as named_at
    from user_history
    union all
    select 'user' as kind, source, subject_id as id, null as name, event_time as named_at
    from permission_mark_rows
    where subject_kind = 'user' and subject_id <> ''
    union all
    select 'database' as kind, source, object_id as id, null as name, event_time as named_at
    from permission_mark_rows
    where resource_kind = 'Databases' and object_id <> ''
),
lasts as (
    select
        kind, source, id, nullif(name, '') as name, max(named_at) as named_at,
        max(max(named_at)) over (partition by kind, source, id, nullif(name, '') is null) as last_named_at
    from told
    group by kind, source, id, name
)
select distinct id, name, named_at = last_named_at as is_last
from lasts
where kind = $kind
  and ($source is null or source = $source)
order by id, name, is_last;
