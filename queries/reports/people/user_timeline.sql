-- title: What did a user do, and what was done to them?
-- family: people
-- grain: one row per event by the user, or that touches them
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: user text required
-- param: days integer = 30
-- The user is an id or an e-mail, of now or of before, in any case.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
-- Whoever goes by it in the directory, or is recorded under it around the range.
goes_by as (
    select source, user_id
    from user_names
    where kind <> 'name'
      and name = lower(trim(cast($user as varchar)))
      and user_id is not null
    union
    select source, user_id
    from events
    where event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and actor_email = lower(trim(cast($user as varchar)))
      and user_id is not null
),
emails as (
    select n.source, n.name as email
    from user_names as n
    inner join goes_by as g on g.source = n.source and g.user_id = n.user_id
    where n.kind in ('email', 'former_email')
    union
    select source, name as email
    from user_names
    where kind in ('email', 'former_email')
      and name = lower(trim(cast($user as varchar)))
),
changes_of_them as (
    select c.source, c.event_key
    from permission_changes as c
    inner join goes_by as g
        on g.source = c.source and c.subject_kind = 'user' and c.subject_id = cast(g.user_id as varchar)
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
    union
    select c.source, c.event_key
    from permission_changes as c
    inner join policy_members as m
        on m.source = c.source and c.subject_kind = 'policy' and m.policy_id = c.subject_id
        and (m.valid_from is null or m.valid_from <= c.event_time)
        and (m.valid_to is null or m.valid_to > c.event_time)
    inner join goes_by as g on g.source = m.source and g.user_id = m.user_id
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
),
found as (
    select
        t.source, t.event_key, t.event_time, t.entry, t.user_id, t.actor, t.ip_address, t.event_name, t.operation,
        t.outcome, t.object, t.detail, t.affected, t.database_name, t.duration_seconds, t.bytesize, t.query_text,
        g.user_id is not null or t.user_id is null and m.email is not null as is_own,
        a.user_id is not null or am.email is not null or c.event_key is not null as is_touching
    from timeline as t
    left join goes_by as g on g.source = t.source and g.user_id = t.user_id
    left join emails as m on m.source = t.source and m.email = t.actor_email
    left join goes_by as a on a.source = t.source and a.user_id = t.affected_user_id
    left join emails as am on am.source = t.source and am.email = lower(t.affected_user)
    left join changes_of_them as c on c.source = t.source and c.event_key = t.event_key
    where t.event_time >= cast($since as timestamp)
      and t.event_time < cast($until as timestamp)
),
entries as (
    select
        source, event_key, event_time, entry,
        case when is_own then 'them' end as person,
        user_id, actor, ip_address, event_name, operation, outcome, object, detail, affected, database_name,
        duration_seconds, bytesize, query_text
    from found
    where is_own or is_touching
),
history as (
    select
        e.source, 'them' as person, e.event_time, e.ip_address,
        nullif(lower(case
            when e.canonical_name in ('database_create', 'database_modify', 'database_delete') then e.resource_name
            when e.area in ('Jobs', 'Table', 'Bulk import', 'File upload')
                and coalesce(e.target_table, e.resource_name) like '%.%'
            then split_part(coalesce(e.target_table, e.resource_name), '.', 1)
        end), '') as database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
    from events as e
    left join goes_by as g on g.source = e.source and g.user_id = e.user_id
    left join emails as m on m.source = e.source and m.email = e.actor_email
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
      and (g.user_id is not null or e.user_id is null and m.email is not null)
),
-- What somebody did for the first time, as far back as the days before the range.
first_addresses as (
    select source, person, ip_address, min(event_time) as first_at
    from history
    where ip_address is not null
    group by source, person, ip_address
),
first_databases as (
    select source, person, database_name, min(event_time) as first_at
    from history
    where database_name is not null
    group by source, person, database_name
),
first_operations as (
    select source, person, operation, min(event_time) as first_at
    from history
    group by source, person, operation
),
marked as (
    select
        e.source, e.event_key, e.event_time, e.entry, e.person, e.user_id, e.actor, e.ip_address, e.event_name,
        e.operation, e.outcome, e.object, e.detail, e.affected, e.database_name, e.duration_seconds, e.bytesize,
        e.query_text,
        case when fa.person is not null then ', address' else '' end
            || case when sa.subject is not null then ' of anyone' else '' end
            || case when fd.person is not null then ', database' else '' end
            || case when sd.subject is not null then ' of anyone' else '' end
            || case when fo.person is not null then ', operation' else '' end as marks
    from entries as e
    left join first_addresses as fa
        on fa.source = e.source and fa.person = e.person and fa.ip_address = e.ip_address
        and fa.first_at = e.event_time
    left join first_databases as fd
        on fd.source = e.source and fd.person = e.person and fd.database_name = e.database_name
        and fd.first_at = e.event_time
    left join first_operations as fo
        on fo.source = e.source and fo.person = e.person
        and fo.operation = coalesce(e.operation, e.event_name)
        and fo.first_at = e.event_time
    left join sightings as sa
        on sa.source = fa.source and sa.subject_kind = 'address' and sa.subject = fa.ip_address
        and sa.first_seen_at = fa.first_at
    left join sightings as sd
        on sd.source = fd.source and sd.subject_kind = 'database' and sd.subject = fd.database_name
        and sd.first_seen_at = fd.first_at
),
-- A pause of half an hour ends a session.
paused as (
    select
        source, event_key, event_time, entry, person, user_id, actor, ip_address, event_name, operation, outcome,
        object, detail, affected, database_name, duration_seconds, bytesize, query_text, marks,
        case
            when lag(event_time) over (partition by source, person order by event_time)
                > event_time - interval '30' minute then 0
            else 1
        end as begins
    from marked
),
counted as (
    select
        source, event_key, event_time, entry, person, user_id, actor, ip_address, event_name, operation, outcome,
        object, detail, affected, database_name, duration_seconds, bytesize, query_text, marks,
        sum(begins) over (
            partition by source, person order by event_time
            range between unbounded preceding and current row
        ) as place
    from paused
),
begun as (
    select
        source, event_key, event_time, entry, person, user_id, actor, ip_address, event_name, operation, outcome,
        object, detail, affected, database_name, duration_seconds, bytesize, query_text, marks,
        case
            when person is not null then min(event_time) over (partition by source, person, place)
        end as session_begun_at
    from counted
),
numbered as (
    select
        source, event_key, event_time, entry, person, user_id, actor, ip_address, event_name, operation, outcome,
        object, detail, affected, database_name, duration_seconds, bytesize, query_text, marks,
        dense_rank() over (order by session_begun_at, source, person) as session
    from begun
)
select
    event_time,
    case when person is not null then session end as session,
    entry,
    event_name,
    object,
    detail,
    actor,
    ip_address,
    nullif(substring(marks from 3), '') as first_seen,
    outcome,
    affected,
    database_name,
    duration_seconds,
    bytesize as bytes,
    operation,
    query_text,
    event_key,
    user_id,
    source
from numbered
order by
    event_time, actor, event_name, entry, object, detail, affected, outcome, ip_address, operation, database_name,
    duration_seconds, bytes, query_text, user_id, session, first_seen, event_key, source
