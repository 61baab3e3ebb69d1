-- title: What came from an address?
-- family: people
-- grain: one row per event from the address
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: address text required
-- param: days integer = 30
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
entries as (
    select
        t.source, t.event_key, t.event_time, t.entry, t.user_id, t.actor, t.ip_address, t.event_name, t.operation,
        t.outcome, t.object, t.detail, t.affected, t.database_name, t.duration_seconds, t.bytesize, t.query_text,
        case when t.actor <> 'unknown' then t.actor end as person
    from timeline as t
    where t.event_time >= cast($since as timestamp)
      and t.event_time < cast($until as timestamp)
      and lower(t.ip_address) = lower(trim(cast($address as varchar)))
),
people as (
    select distinct source, person
    from entries
    where person is not null
),
history as (
    select
        e.source, p.person, e.event_time, e.ip_address,
        nullif(lower(case
            when e.canonical_name in ('database_create', 'database_modify', 'database_delete') then e.resource_name
            when e.area in ('Jobs', 'Table', 'Bulk import', 'File upload')
                and coalesce(e.target_table, e.resource_name) like '%.%'
            then split_part(coalesce(e.target_table, e.resource_name), '.', 1)
        end), '') as database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
    from events as e
    inner join people as p
        on p.source = e.source
        and p.person = coalesce(e.actor_email, 'user ' || cast(e.user_id as varchar))
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
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
