-- title: What became of a job, and of its result?
-- family: people
-- grain: one row per event of the job
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: job text required
-- param: days integer = 30
-- The job is its id, or its name database.id.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
found as (
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
        nullif(coalesce(e.actor_email, 'user ' || cast(e.user_id as varchar)), 'unknown') as person
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and (
          e.area = 'Jobs'
          and (
              e.resource_id = cast($job as varchar)
              or e.resource_name = cast($job as varchar)
              or e.resource_id is null and substring(e.resource_name from length(e.resource_name) - length(cast($job as varchar)))
                  = '.' || cast($job as varchar)
          )
          or e.job = cast($job as varchar)
          or substring(e.job from length(e.job) - length(cast($job as varchar))) = '.' || cast($job as varchar)
      )
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
-- What became of the jobs among them, and which tables their texts touch: five names, and how many more.
jobs as (
    select
        f.source, f.event_key, f.query_text, j.job_id, j.database_name, j.status, j.duration_seconds, j.text_time,
        replace(cast(j.text_key as varchar), '-', '') as text_key
    from found as f
    inner join query_jobs as j
        on j.source = f.source and j.activity_time = f.event_time and j.activity_key = f.event_key
    where j.activity_time >= cast($since as timestamp)
      and j.activity_time < cast($until as timestamp)
),
-- Where the issue of a job does not hold its text, another event does.
textless as (
    select source, event_key, text_time, text_key
    from jobs
    where query_text is null
      and text_time is not null
),
later_texts as (
    select source, event_key, query_text
    from events
    where event_time in (select text_time from textless)
      and event_key in (select text_key from textless)
),
named_tables as (
    select distinct
        j.source, j.event_key, t.access,
        case
            when t.table_name is null then t.database_name
            when t.database_name is null then t.table_name
            else t.database_name || '.' || t.table_name
        end as name
    from jobs as j
    inner join query_tables as t on t.source = j.source and t.job_id = j.job_id
    where t.job_date >= cast(cast($since as timestamp) as date)
      and t.job_date <= cast(cast($until as timestamp) as date)
),
numbered_tables as (
    select
        source, event_key, access, name,
        row_number() over (partition by source, event_key, access order by name) as place
    from named_tables
    where name is not null
),
listed_tables as (
    select
        source, event_key, access,
        max(case place when 1 then name end)
            || coalesce(', ' || max(case place when 2 then name end), '')
            || coalesce(', ' || max(case place when 3 then name end), '')
            || coalesce(', ' || max(case place when 4 then name end), '')
            || coalesce(', ' || max(case place when 5 then name end), '')
            || case when count(*) > 5 then ' and ' || cast(count(*) - 5 as varchar) || ' more' else '' end as names
    from numbered_tables
    group by source, event_key, access
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
            when j.event_key is not null then 'job'
            else 'event'
        end as entry,
        case
            when e.outcome <> 'succeeded' then coalesce(e.denial_kind, lower(e.event_result))
            when c.event_key is not null then c.change || coalesce(' ' || c.operation, '')
            when j.event_key is not null then j.status
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
        r.names as tables_read,
        w.names as tables_written
    from found as e
    left join changes as c on c.source = e.source and c.event_key = e.event_key
    left join jobs as j on j.source = e.source and j.event_key = e.event_key
    left join later_texts as l on l.source = j.source and l.event_key = j.text_key
    left join listed_tables as r on r.source = e.source and r.event_key = e.event_key and r.access = 'read'
    left join listed_tables as w on w.source = e.source and w.event_key = e.event_key and w.access = 'written'
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
