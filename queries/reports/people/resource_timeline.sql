-- title: What happened to a resource?
-- family: people
-- grain: one row per event that names the resource
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: resource text required
-- param: days integer = 30
-- The resource is an id, a name or a path, in any case; a database stands for all that names it.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
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
looked_at as (
    select
        e.source, e.event_key, e.event_time, e.user_id, e.actor_email, e.ip_address, e.event_name, e.canonical_name,
        e.operation, e.outcome, e.denial_kind, e.event_result, e.attribute_name, e.bytesize, e.query_text,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        e.affected_user_id, e.affected_user,
        lower(nullif(case
            when e.canonical_name in ('database_create', 'database_modify', 'database_delete') then e.resource_name
            when e.area in ('Jobs', 'Table', 'Bulk import', 'File upload')
                and coalesce(e.target_table, e.resource_name) like '%.%'
            then split_part(coalesce(e.target_table, e.resource_name), '.', 1)
        end, '')) as database_name,
        nullif(coalesce(e.actor_email, 'user ' || cast(e.user_id as varchar)), 'unknown') as person,
        j.database_name as job_database,
        case when r.event_key is not null then 1 else 0 end as is_of_rights
    from events as e
    left join jobs_on_databases as j
        on j.source = e.source and j.activity_time = e.event_time and j.activity_key = e.event_key
    left join rights_on_it as r
        on r.source = e.source and r.event_time = e.event_time and r.event_key = e.event_key
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
),
-- Compared one by one: among several computed values, in gives other rows on an engine (seen with Trino 476).
found as (
    select
        source, event_key, event_time, user_id, actor_email, ip_address, event_name, canonical_name,
        operation, outcome, denial_kind, event_result, attribute_name, bytesize, query_text,
        resource_id, resource_name, resource_path, target_table, target_resource_id, target_resource_name,
        affected_user_id, affected_user, database_name, person,
        case
            when lower(resource_id) = lower(cast($resource as varchar))
                or lower(resource_name) = lower(cast($resource as varchar))
                or lower(resource_path) = lower(cast($resource as varchar))
                or lower(target_table) = lower(cast($resource as varchar))
                or lower(target_resource_id) = lower(cast($resource as varchar))
                or lower(target_resource_name) = lower(cast($resource as varchar))
                or coalesce(job_database, database_name) = lower(cast($resource as varchar))
            then 1 else 0
        end as is_named
    from looked_at
    where is_of_rights = 1
       or lower(resource_id) = lower(cast($resource as varchar))
       or lower(resource_name) = lower(cast($resource as varchar))
       or lower(resource_path) = lower(cast($resource as varchar))
       or lower(target_table) = lower(cast($resource as varchar))
       or lower(target_resource_id) = lower(cast($resource as varchar))
       or lower(target_resource_name) = lower(cast($resource as varchar))
       or coalesce(job_database, database_name) = lower(cast($resource as varchar))
),
changes as (
    select
        c.source, c.event_key, c.change, c.operation, c.object_id, c.object_name, c.subject_kind, c.subject_id,
        c.subject_name
    from permission_changes as c
    inner join found as f
        on f.source = c.source and f.event_time = c.event_time and f.event_key = c.event_key
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
      -- Of an event that does not name it, the rights on it alone.
      and (f.is_named = 1 or lower(c.object_id) = lower(cast($resource as varchar)) or lower(c.object_name) = lower(cast($resource as varchar)))
),
people as (
    select distinct source, person
    from found
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
-- Where the issue of a job does not hold its text, another event does: those of its second.
later_texts as (
    select source, event_key, query_text
    from events
    where query_text is not null
      and event_time in (
        select j.text_time
        from found as f
        inner join query_jobs as j
            on j.source = f.source and j.activity_time = f.event_time and j.activity_key = f.event_key
        where j.activity_time >= cast($since as timestamp)
          and j.activity_time < cast($until as timestamp)
          and f.query_text is null
          and j.text_time is not null
    )
),
-- Which tables the texts of jobs touch: five names, and how many more.
named_tables as (
    select distinct
        source, job_id, access,
        case
            when table_name is null then database_name
            when database_name is null then table_name
            else database_name || '.' || table_name
        end as name
    from query_tables
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
),
numbered_tables as (
    select
        source, job_id, access, name,
        row_number() over (partition by source, job_id, access order by name) as place
    from named_tables
    where name is not null
),
listed_tables as (
    select
        source, job_id,
        max(case when access = 'read' and place = 1 then name end)
            || coalesce(', ' || max(case when access = 'read' and place = 2 then name end), '')
            || coalesce(', ' || max(case when access = 'read' and place = 3 then name end), '')
            || coalesce(', ' || max(case when access = 'read' and place = 4 then name end), '')
            || coalesce(', ' || max(case when access = 'read' and place = 5 then name end), '')
            || case when count(case access when 'read' then 1 end) > 5 then ' and ' || cast(count(case access when 'read' then 1 end) - 5 as varchar) || ' more' else '' end
            as tables_read,
        max(case when access = 'written' and place = 1 then name end)
            || coalesce(', ' || max(case when access = 'written' and place = 2 then name end), '')
            || coalesce(', ' || max(case when access = 'written' and place = 3 then name end), '')
            || coalesce(', ' || max(case when access = 'written' and place = 4 then name end), '')
            || coalesce(', ' || max(case when access = 'written' and place = 5 then name end), '')
            || case when count(case access when 'written' then 1 end) > 5 then ' and ' || cast(count(case access when 'written' then 1 end) - 5 as varchar) || ' more' else '' end
            as tables_written
    from numbered_tables
    group by source, job_id
),
entries as (
    select
        e.source, e.event_key, e.event_time, e.person, e.user_id,
        coalesce(e.actor_email, 'user ' || cast(e.user_id as varchar), 'unknown') as actor,
        e.ip_address,
        coalesce(e.canonical_name, e.event_name, 'unknown') as event_name,
        e.operation, e.outcome, e.bytesize,
        case
            when e.outcome <> 'succeeded' then 'denial'
            when c.event_key is not null then 'change'
            when j.activity_key is not null then 'job'
            else 'event'
        end as entry,
        case
            when e.outcome <> 'succeeded' then coalesce(e.denial_kind, lower(e.event_result))
            when c.event_key is not null then c.change || coalesce(' ' || c.operation, '')
            when j.activity_key is not null then j.status
            else e.attribute_name
        end as detail,
        coalesce(
            c.object_name, c.object_id, e.resource_name, e.resource_path, e.target_resource_name, e.target_table,
            e.resource_id, e.target_resource_id
        ) as object,
        coalesce(
            c.subject_name, c.subject_kind || ' ' || c.subject_id, e.affected_user,
            'user ' || cast(e.affected_user_id as varchar)
        ) as affected,
        coalesce(lower(nullif(j.database_name, '')), e.database_name) as database_name,
        j.duration_seconds,
        coalesce(e.query_text, l.query_text) as query_text,
        t.tables_read,
        t.tables_written
    from found as e
    left join changes as c on c.source = e.source and c.event_key = e.event_key
    left join query_jobs as j
        on j.source = e.source and j.activity_time = e.event_time and j.activity_key = e.event_key
        and j.activity_time >= cast($since as timestamp)
        and j.activity_time < cast($until as timestamp)
    left join later_texts as l
        on l.source = j.source and l.event_key = replace(cast(j.text_key as varchar), '-', '')
    left join listed_tables as t on t.source = j.source and t.job_id = j.job_id
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
-- A pause of half an hour ends a session.
moments as (
    select distinct source, person, event_time
    from found
    where person is not null
),
paused as (
    select
        source, person, event_time,
        case
            when lag(event_time) over (partition by source, person order by event_time)
                > event_time - interval '30' minute then 0
            else 1
        end as begins
    from moments
),
counted as (
    select
        source, person, event_time,
        sum(begins) over (
            partition by source, person order by event_time
            range between unbounded preceding and current row
        ) as place
    from paused
),
begun as (
    select
        source, person, event_time,
        min(event_time) over (partition by source, person, place) as session_begun_at
    from counted
),
sessions as (
    select
        source, person, event_time,
        dense_rank() over (order by session_begun_at, source, person) as session
    from begun
)
select
    e.event_time,
    s.session,
    e.entry,
    e.event_name,
    e.object,
    e.detail,
    e.actor,
    e.ip_address,
    nullif(substring(
        case when fa.person is not null then ', address' else '' end
            || case when sa.subject is not null then ' of anyone' else '' end
            || case when fd.person is not null then ', database' else '' end
            || case when sd.subject is not null then ' of anyone' else '' end
            || case when fo.person is not null then ', operation' else '' end
        from 3
    ), '') as first_seen,
    e.outcome,
    e.affected,
    e.database_name,
    e.duration_seconds,
    e.bytesize as bytes,
    e.operation,
    e.tables_read,
    e.tables_written,
    e.query_text,
    e.event_key,
    e.user_id,
    e.source
from entries as e
left join sessions as s
    on s.source = e.source and s.person = e.person and s.event_time = e.event_time
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
order by
    event_time, actor, event_name, entry, object, detail, affected, outcome, ip_address, operation, database_name,
    duration_seconds, bytes, tables_read, tables_written, query_text, user_id, session, first_seen, event_key, source
