-- One row per query job or saved-query action. A job's issue, start and finish are events of their own,
-- often in different windows; they come together by the job's id (seed 001, What the service does, rule 1).
create or replace temp view folded_query_activity as
with
job_events as (
    select
        source,
        -- The name of a job ends in its id: database.job_id.
        coalesce(resource_id, split_part(resource_name, '.', -1)) as job_id,
        event_key, event_time, canonical_name, user_id, actor_email, ip_address, resource_name,
        target_table, job_type, query_text, scheduled_time,
        case
            when canonical_name in ('job_issue', 'job_kill') then null
            when coalesce(attribute_name, 'status') <> 'status' then null
            when new_value is not null then lower(trim(new_value, ' "'))
            when operation = 'POST /v3/job/started/:id' then 'running'
            when operation = 'POST /v3/job/finished/:id' then 'finished'
        end as status,
        -- Names of databases hold no dot: what follows one is the format suffix.
        split_part(split_part(case operation
            when 'POST /v3/job/issue/:type/:database' then split_part(ltrim(path, '/'), '/', 5)
            when 'POST /v3/export/run/:database_name/:table_name' then split_part(ltrim(path, '/'), '/', 4)
        end, '?', 1), '.', 1) as path_database,
        -- The issue represents the job; without it the job's first event does.
        {
            'later': canonical_name <> 'job_issue', 'at': event_time,
            'name': canonical_name, 'key': event_key
        } as issue_rank,
        -- Within a second an end comes after a start.
        {
            'at': event_time, 'ends': status not in ('queued', 'booting', 'running'),
            'name': canonical_name, 'status': status, 'key': event_key
        } as status_rank
    from events
    where canonical_name in ('job_issue', 'job_modify', 'job_kill', 'job_status_update_by_system')
      and outcome = 'succeeded'
      and coalesce(resource_id, resource_name) is not null
),
-- The statements about a job's status, in order.
words as (
    select
        source, job_id, event_key, event_time, user_id, actor_email,
        case
            when canonical_name = 'job_kill' then 'kill'
            when status in ('queued', 'booting', 'running') then 'going'
            else 'end'
        end as word
    from job_events
    where status is not null or canonical_name = 'job_kill'
),
placed as (
    select
        source, job_id, event_key, event_time, user_id, actor_email, word,
        row_number() over words_in_order as place,
        coalesce(
            last_value(case when word <> 'kill' then word end ignore nulls) over (
                words_in_order rows between unbounded preceding and 1 preceding
            ), 'going'
        ) as status_before
    from words
    window words_in_order as (
        partition by source, job_id
        order by
            event_time, case word when 'going' then 0 when 'kill' then 1 else 2 end, event_key
    )
),
last_runs as (
    select
        source, job_id,
        coalesce(max(place) filter (where word = 'going' and status_before = 'end'), 0) as first_place,
        max(place) filter (where word = 'going') as last_going
    from placed
    group by source, job_id
),
killers as (
    select
        p.source, p.job_id,
        arg_min({'user_id': p.user_id, 'email': p.actor_email, 'at': p.event_time}, p.place) as killer
    from placed as p
    inner join last_runs as r on r.source = p.source and r.job_id = p.job_id
    where p.word = 'kill' and p.place > r.first_place
    group by p.source, p.job_id
),
endings as (
    select
        p.source, p.job_id,
        coalesce(max(p.event_time) filter (where p.word = 'end'), max(p.event_time)) as finished_at,
        count(*) filter (where p.word = 'end') = 0 as is_killed
    from placed as p
    inner join last_runs as r on r.source = p.source and r.job_id = p.job_id
    where p.word <> 'going' and p.place > coalesce(r.last_going, 0)
    group by p.source, p.job_id
),
jobs as (
    select
        source, job_id,
        arg_min(event_key, issue_rank) as activity_key,
        min(event_time) as first_event_time,
        min(event_time) filter (where canonical_name = 'job_issue') as issued_at,
        min(event_time) filter (where status = 'running') as started_at,
        arg_max(status, status_rank) as last_status,
        -- One row gives all three: an id and an e-mail of two people must not meet.
        arg_min({'user_id': user_id, 'email': actor_email, 'ip': ip_address}, issue_rank) as actor,
        arg_min(resource_name, issue_rank) as resource_name,
        arg_min(path_database, issue_rank) as path_database,
        arg_min(job_type, issue_rank) as job_type,
        arg_min(query_text, issue_rank) as query_text,
        arg_min(target_table, issue_rank) as target_table,
        arg_min(scheduled_time, issue_rank) as scheduled_time
    from job_events
    group by source, job_id
),
activity as (
    select
        activity_key, jobs.source, 'job' as activity,
        coalesce(issued_at, first_event_time) as activity_time,
        jobs.job_id as object_id, resource_name as object_name,
        coalesce(
            case when contains(resource_name, '.') then split_part(resource_name, '.', 1) end,
            nullif(path_database, '')
        ) as database_name,
        actor.user_id as user_id, actor.email as actor_email, actor.ip as ip_address,
        job_type, query_text, target_table, scheduled_time,
        issued_at, started_at, endings.finished_at,
        case when endings.is_killed then 'killed' else coalesce(last_status, 'issued') end as status,
        case when is_theirs then killer.user_id end as killed_by_user_id,
        case when is_theirs then killer.email end as killed_by_email
    from jobs
    left join endings on endings.source = jobs.source and endings.job_id = jobs.job_id
    left join killers on killers.source = jobs.source and killers.job_id = jobs.job_id
    cross join lateral (
        select killer.at <= finished_at or finished_at is not null and last_status = 'killed' as is_theirs
    ) as t
    union all
    select
        event_key as activity_key, source, canonical_name as activity,
        event_time as activity_time,
        resource_id as object_id, resource_name as object_name,
        null as database_name,
        user_id, actor_email, ip_address,
        job_type, query_text, target_table, scheduled_time,
        null as issued_at, null as started_at, null as finished_at,
        null as status,
        null as killed_by_user_id, null as killed_by_email
    from events
    where canonical_name in ('query_create', 'query_clone', 'query_modify', 'query_run', 'query_delete')
      and outcome = 'succeeded'
)
select
    activity_key, source, activity, activity_time, cast(activity_time as date) as activity_date,
    object_id, object_name, database_name, user_id, actor_email,
    coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor,
    ip_address, job_type, query_text, target_table, scheduled_time,
    issued_at, started_at, finished_at,
    case when finished_at >= coalesce(started_at, issued_at)
        then date_diff('second', coalesce(started_at, issued_at), finished_at) end as duration_seconds,
    status, killed_by_user_id, killed_by_email
from activity;
