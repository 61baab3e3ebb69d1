-- The end of a timeline. Before it stand `found`, the events that fit, `shown`, those of them that are shown, and
-- `changes`, the changes of rights that they made. `history` is what the same people did as far back as `first_seen`
-- looks.
jobs as (
    select
        j.source, j.activity_time, j.activity_key, j.job_id, j.database_name, j.duration_seconds, j.status, j.text_time,
        replace(cast(j.text_key as varchar), '-', '') as text_key,
        case when s.query_text is null then 1 else 0 end as has_later_text
    from query_jobs as j
    inner join shown as s
        on s.source = j.source and s.event_time = j.activity_time and s.event_key = j.activity_key
    where j.activity_time >= cast($since as timestamp)
      and j.activity_time < cast($until as timestamp)
      and j.activity_time in (select t.event_time from shown as t)
),
-- Where the issue of a job does not hold its text, another event does: those of its second.
later_texts as (
    select source, event_key, query_text
    from events
    where query_text is not null
      and event_time in (select text_time from jobs where has_later_text = 1 and text_time is not null)
),
-- Which tables the texts of jobs touch: five names, and how many more.
named_tables as (
    select distinct
        t.source, t.job_id, t.access,
        case
            when t.table_name is null then t.database_name
            when t.database_name is null then t.table_name
            else t.database_name || '.' || t.table_name
        end as name
    from query_tables as t
    inner join jobs as j on j.source = t.source and j.job_id = t.job_id
    where t.job_date >= cast(cast($since as timestamp) as date)
      and t.job_date <= cast(cast($until as timestamp) as date)
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
        e.actor, e.ip_address,
        coalesce(e.canonical_name, e.event_name, 'unknown') as event_name,
        e.operation, e.outcome, e.bytesize,
        case
            when e.outcome in ('denied', 'failed') then 'denial'
            when c.event_key is not null then 'change'
            when j.activity_key is not null then 'job'
            else 'event'
        end as entry,
        case
            when e.outcome in ('denied', 'failed')
            then coalesce(e.denial_kind, lower(nullif(trim(e.event_result), '')), e.outcome)
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
    from shown as e
    left join changes as c
        on c.source = e.source and c.event_time = e.event_time and c.event_key = e.event_key
    left join jobs as j
        on j.source = e.source and j.activity_time = e.event_time and j.activity_key = e.event_key
    left join later_texts as l on l.source = j.source and l.event_key = j.text_key
    left join listed_tables as t on t.source = j.source and t.job_id = j.job_id
),
-- First actions of a person, looking back the given days before the range.
firsts as (
    select source, person, ip_address, database_name, operation, min(event_time) as first_at
    from history
    group by source, person, ip_address, database_name, operation
),
first_addresses as (
    select source, person, ip_address, min(first_at) as first_at
    from firsts
    where ip_address <> 'internal'
    group by source, person, ip_address
),
first_databases as (
    select source, person, database_name, min(first_at) as first_at
    from firsts
    where database_name is not null
    group by source, person, database_name
),
first_operations as (
    select source, person, operation, min(first_at) as first_at
    from firsts
    group by source, person, operation
),
-- A pause of half an hour ends a session, so one can begin only with the first event of half an hour of the clock.
halves as (
    select
        source, person, date_trunc('hour', event_time) as hour,
        case when extract(minute from event_time) < 30 then 0 else 1 end as half,
        min(event_time) as first_at, max(event_time) as last_at
    from found
    where person is not null
    group by
        source, person, date_trunc('hour', event_time), case when extract(minute from event_time) < 30 then 0 else 1 end
),
paused as (
    select
        source, person, hour, half,
        case
            when lag(last_at) over (partition by source, person order by first_at)
                > first_at - interval '30' minute then null
            else first_at
        end as begins_at
    from halves
),
started as (
    select
        source, person, hour, half,
        max(begins_at) over (
            partition by source, person order by hour, half
            rows between unbounded preceding and current row
        ) as session_started_at
    from paused
),
sessions as (
    select
        source, person, hour, half,
        dense_rank() over (order by session_started_at, source, person) as session
    from started
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
    on s.source = e.source and s.person = e.person and s.hour = date_trunc('hour', e.event_time)
    and s.half = case when extract(minute from e.event_time) < 30 then 0 else 1 end
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
