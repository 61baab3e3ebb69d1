-- One row per query job. A job's issue, start and finish are separate events, often in different windows, joined by the
-- job's id (seed 001, What the service does, rule 1). Denied and failed events did not issue, change or kill anything;
-- a job that was only refused does not count.
create or replace temp table folded_jobs as
with
statuses as (
    select
        e.source, job_id_of(e.resource_id, e.resource_name) as job_id,
        e.event_key, e.event_time, e.event_date, c.event_name as canonical_name,
        e.user_id, lower(nullif(e.user_email, '')) as user_email, e.ip_address, e.resource_name,
        e.target_table, e.job_type, e.scheduled_time,
        case when e.query_text is not null then {
            'at': e.event_time, 'key': e.event_key, 'hash': text_hash_of(e.job_type, e.query_text)
        } end as text_event,
        o.operation,
        ltrim(coalesce(nullif(e.requested_path_info, ''), nullif(e.requested_path, '')), '/') as path,
        case
            when c.event_name in ('job_issue', 'job_kill') then null
            when coalesce(e.attribute_name, 'status') <> 'status' then null
            when e.new_value is not null then lower(trim(e.new_value, ' "'))
            when o.operation = 'POST /v3/job/started/:id' then 'running'
            when o.operation = 'POST /v3/job/finished/:id' then 'finished'
        end as status
    from event_rows as e
    semi join touched_jobs as t
        on t.source = e.source and t.job_id = job_id_of(e.resource_id, e.resource_name)
    inner join catalog_entries as c on c.entry_id = e.entry_id
    left join operation_texts as o on o.operation_id = e.operation_id
    where is_job_event(c.event_name)
      and took_place(c.denial_kind, e.event_result)
      -- The days alone say which row groups are read.
      and e.event_date in (select d.event_date from touched_jobs as d)
),
job_events as (
    select
        source, job_id, event_key, event_time, event_date, canonical_name, user_id, user_email, ip_address,
        resource_name, target_table, job_type, scheduled_time, text_event, status,
        -- Names of databases hold no dot: what follows one is the format suffix.
        split_part(split_part(case operation
            when 'POST /v3/job/issue/:type/:database' then split_part(path, '/', 5)
            when 'POST /v3/export/run/:database_name/:table_name' then split_part(path, '/', 4)
        end, '?', 1), '.', 1) as path_database,
        -- The issue describes the job, otherwise its first event. Each order is one comparable value, made once for
        -- all aggregates below: with a struct, every aggregate would make its own.
        create_sort_key(
            canonical_name <> 'job_issue', 'asc nulls last', event_time, 'asc nulls last',
            canonical_name, 'asc nulls last', event_key, 'asc nulls last'
        ) as issue_rank,
        -- Within a second an end follows a start.
        create_sort_key(
            event_time, 'asc nulls last', status not in ('queued', 'booting', 'running'), 'asc nulls last',
            canonical_name, 'asc nulls last', status, 'asc nulls last'
        ) as status_rank
    from statuses
),
jobs as (
    select
        source, job_id,
        arg_min(event_key, issue_rank) as activity_key,
        min(event_time) as first_event_time,
        list(distinct event_date) as event_dates,
        max(event_time) filter (where status in ('queued', 'booting', 'running')) as last_going_at,
        list(event_time) filter (where status in ('queued', 'booting', 'running')) as going_times,
        list(event_time) filter (where status not in ('queued', 'booting', 'running')) as end_times,
        min(event_time) filter (where canonical_name = 'job_issue') as issued_at,
        min(event_time) filter (where status = 'running') as started_at,
        max(event_time) filter (where status not in ('queued', 'booting', 'running')) as ended_at,
        max(event_time) filter (where canonical_name = 'job_kill') as killed_at,
        arg_max(status, status_rank) as last_status,
        -- One row gives all three: an id and an e-mail of two people must not meet.
        arg_min({'user_id': user_id, 'email': user_email, 'ip': ip_address}, issue_rank) as actor,
        list({'at': event_time, 'key': event_key, 'user_id': user_id, 'email': user_email})
            filter (where canonical_name = 'job_kill') as kills,
        arg_min(resource_name, issue_rank) as job_name,
        arg_min(path_database, issue_rank) as path_database,
        arg_min(job_type, issue_rank) as job_type,
        arg_min(text_event, issue_rank) as text_event,
        arg_min(target_table, issue_rank) as target_table,
        arg_min(scheduled_time, issue_rank) as scheduled_time
    from job_events
    group by source, job_id
),
-- The newest event counts: a job that continues after an end or a kill has not ended. A job that ended by itself was
-- not killed, however late the kill was requested.
ended_jobs as (
    select
        source, job_id, activity_key, first_event_time, event_dates, issued_at, started_at, actor, job_name,
        path_database, job_type, text_event, target_table, scheduled_time,
        case
            when ended_at >= coalesce(last_going_at, ended_at) then ended_at
            when killed_at >= coalesce(last_going_at, killed_at) then killed_at
        end as finished_at,
        case
            when ended_at >= coalesce(last_going_at, ended_at) then last_status
            when killed_at >= coalesce(last_going_at, killed_at) then 'killed'
            else coalesce(last_status, 'issued')
        end as status,
        kills,
        -- When its last run started, for a kill to count: after the last end that another run followed.
        case when kills is not null then coalesce(list_min(list_filter(going_times, lambda going_at:
            going_at > list_max(list_filter(end_times, lambda end_at: end_at < last_going_at))
        )), '-infinity'::timestamp) end as last_run_at
    from jobs
),
killed_jobs as (
    select
        source, job_id, activity_key, first_event_time, event_dates, issued_at, started_at, actor, job_name,
        path_database, job_type, text_event, target_table, scheduled_time, finished_at, status,
        list_sort(list_filter(kills, lambda kill: kill.at >= last_run_at))[1] as killer
    from ended_jobs
)
select
    source, job_id, activity_key,
    coalesce(issued_at, first_event_time) as activity_time,
    cast(coalesce(issued_at, first_event_time) as date) as activity_date,
    list_sort(event_dates) as event_dates,
    job_name,
    coalesce(
        case when contains(job_name, '.') then split_part(job_name, '.', 1) end,
        nullif(path_database, '')
    ) as database_name,
    actor.user_id as user_id, actor.email as user_email, actor.ip as ip_address, job_type,
    text_event.at as text_time, nullif(text_event.key, activity_key) as text_key, text_event.hash as text_hash,
    target_table, scheduled_time, issued_at, started_at, finished_at, status,
    -- The service may record the kill before its request.
    case when killer.at <= finished_at or finished_at is not null and status = 'killed' then killer.user_id end
        as killed_by_user_id,
    case when killer.at <= finished_at or finished_at is not null and status = 'killed' then killer.email end
        as killed_by_user_email
from killed_jobs;

insert into job_rows by name
select f.*
from folded_jobs as f
order by f.activity_time, f.source, f.job_id;

-- What their texts touch is found beside the load (queries/texts).
insert into query_text_due by name
select
    source, job_id, activity_date as job_date, lower(database_name) as database_name,
    text_time, coalesce(text_key, activity_key) as text_key, text_hash
from folded_jobs
where text_hash is not null;
