-- All names of people, policies and databases in the log or the directory. is_then marks names at a moment (default
-- now), is_last the last name. state is the state at the moment: there, gone or not made.
with
named as (
    select
        case when canonical_name like 'database_%' then 'database' else 'policy' end as kind,
        source, resource_id as id, nullif(resource_name, '') as name, event_time as named_at
    from access_event_rows
    where is_successful
      and resource_id <> ''
      and (canonical_name like 'permission_policy_%' or canonical_name like 'database_%')
    union all
    select 'policy' as kind, source, policy_id as id, null as name, read_at as named_at
    from policy_snapshots
    union all
    select
        'user' as kind, source, cast(user_id as varchar) as id, nullif(email, '') as name, valid_from as named_at
    from user_history
    union all
    select
        'user' as kind, source, cast(user_id as varchar) as id, nullif(name, '') as name, valid_from as named_at
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
asked as (
    select source, id, name, named_at, coalesce(named_at <= $on::timestamp, true) as is_before
    from named
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
moment as (
    select coalesce($on::timestamp, timestamp 'infinity') as at
),
-- An object whose first event is not its creation existed before.
states as (
    select
        l.source, l.object_id as id,
        case
            when bool_or(coalesce(l.valid_from <= m.at, true) and coalesce(l.valid_to > m.at, true)) then 'there'
            when bool_or(l.valid_to <= m.at) then 'gone'
            when min_by(l.created_at is not null, l.valid_from) then 'not made'
        end as state
    from object_lives as l
    cross join moment as m
    where l.object_kind = $kind
    group by l.source, l.object_id
),
-- E-mails recorded beside ids, if no directory entry has the e-mail: they belong to the newest id.
seen_beside as (
    select
        r.source, split_part(r.subject, ' ', 1) as id, substring(r.subject from position(' ' in r.subject) + 1) as name,
        coalesce(r.first_seen_at <= m.at, true) as is_before, r.last_seen_at
    from sighting_rows as r
    cross join moment as m
    where r.subject_kind = 'user email'
      and $kind = 'user'
      and ($source is null or r.source = $source)
),
logged as (
    select source, id, name, true as is_last, true as is_then
    from seen_beside as b
    where not exists (select 1 from user_history as u where u.source = b.source and lower(u.email) = b.name)
    qualify row_number() over (partition by source, name order by is_before desc, last_seen_at desc, id) = 1
),
all_names as (
    select source, id, name, is_last, is_then from placed
    union all
    select source, id, name, is_last, is_then from logged
)
select distinct
    p.id, p.name, p.is_last,
    p.is_then and s.state is distinct from 'not made' as is_then,
    coalesce(s.state, 'there') as state
from all_names as p
left join states as s on s.source = p.source and s.id = p.id
order by p.id, p.name, p.is_last, is_then, state;
