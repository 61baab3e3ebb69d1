-- Every name that the log or the directory has given to people, policies and databases. is_then says whether it was
-- theirs at a moment, which is now where none is given; is_last, whether it is the last one. state tells of them at the
-- moment: there, gone, or not made.
with
told as (
    select
        case when canonical_name like 'database_%' then 'database' else 'policy' end as kind,
        source, resource_id as id, nullif(resource_name, '') as name, event_time as named_at,
        case
            when canonical_name in ('permission_policy_create', 'database_create') then 'made'
            when canonical_name in ('permission_policy_delete', 'database_delete') then 'gone'
            -- Members leave also what was deleted.
            when canonical_name <> 'permission_policy_detach_user' then 'there'
        end as state
    from access_event_rows
    where is_successful
      and resource_id <> ''
      and (canonical_name like 'permission_policy_%' or canonical_name like 'database_%')
    union all
    select 'policy' as kind, source, policy_id as id, null as name, read_at as named_at, null as state
    from policy_snapshots
    union all
    select
        'user' as kind, source, cast(user_id as varchar) as id, nullif(email, '') as name, valid_from as named_at,
        null as state
    from user_history
    union all
    select
        'user' as kind, source, cast(user_id as varchar) as id, nullif(name, '') as name, valid_from as named_at,
        null as state
    from user_history
    union all
    select 'user' as kind, source, subject_id as id, null as name, event_time as named_at, null as state
    from permission_mark_rows
    where subject_kind = 'user' and subject_id <> ''
    union all
    select 'database' as kind, source, object_id as id, null as name, event_time as named_at, null as state
    from permission_mark_rows
    where resource_kind = 'Databases' and object_id <> ''
),
asked as (
    select source, id, name, named_at, state, coalesce(named_at <= $on::timestamp, true) as is_before
    from told
    where kind = $kind
      and ($source is null or source = $source)
),
names as (
    select
        source, id, name, min(named_at) as first_at, max(named_at) as last_at,
        max(named_at) filter (where is_before) as last_before
    from asked
    group by source, id, name
),
-- Who was named later only, bore the first of these names before.
placed as (
    select
        source, id, name,
        last_at = max(last_at) over own as is_last,
        case
            when max(last_before) over own is null then first_at = min(first_at) over own
            else coalesce(last_before = max(last_before) over own, false)
        end as is_then
    from names
    window own as (partition by source, id, name is null)
),
states as (
    select
        source, id,
        coalesce(
            max_by(state, {'at': named_at, 'is_gone': state = 'gone'}) filter (where is_before),
            min_by(
                case when state = 'made' then 'not made' else 'there' end,
                {'at': named_at, 'is_made_before': state <> 'made'}
            ) filter (where not is_before)
        ) as state
    from asked
    where state is not null
    group by source, id
)
select distinct
    p.id, p.name, p.is_last,
    p.is_then and s.state is distinct from 'not made' as is_then,
    case when s.state in ('gone', 'not made') then s.state else 'there' end as state
from placed as p
left join states as s on s.source = p.source and s.id = p.id
order by p.id, p.name, p.is_last, is_then, state;
