-- One row per query job or saved-query action. Jobs stand in a table that is kept at load (queries/derived/jobs.sql);
-- the text stays in the event that holds it, found by its time.
create or replace view query_activity as
with
activity as (
    select
        replace(cast(j.activity_key as varchar), '-', '') as activity_key, j.source, 'job' as activity,
        j.activity_time, j.activity_date,
        j.job_id as object_id, j.job_name as object_name,
        j.database_name,
        j.user_id, coalesce(j.user_email, lower(u.email)) as actor_email, j.ip_address,
        j.job_type, t.query_text, j.target_table, j.scheduled_time,
        j.issued_at, j.started_at, j.finished_at,
        j.status,
        j.killed_by_user_id, coalesce(j.killed_by_user_email, lower(k.email)) as killed_by_email
    from job_rows as j
    left join event_rows as t
        on t.event_time = j.text_time and t.event_key = coalesce(j.text_key, j.activity_key)
    left join last_known_users as u on u.source = j.source and u.user_id = j.user_id
    left join last_known_users as k on k.source = j.source and k.user_id = j.killed_by_user_id
    union all
    select
        event_key as activity_key, source, canonical_name as activity,
        event_time as activity_time, event_date as activity_date,
        resource_id as object_id, resource_name as object_name,
        null as database_name,
        user_id, actor_email, ip_address,
        job_type, query_text, target_table, scheduled_time,
        null as issued_at, null as started_at, null as finished_at,
        null as status,
        null as killed_by_user_id, null as killed_by_email
    from events
    where canonical_name in ('query_create', 'query_clone', 'query_modify', 'query_run', 'query_delete')
)
select
    activity_key, source, activity, activity_time, activity_date,
    object_id, object_name, database_name, user_id, actor_email, ip_address, job_type, query_text,
    target_table, scheduled_time, issued_at, started_at, finished_at,
    date_diff('second', coalesce(started_at, issued_at), finished_at) as duration_seconds,
    status, killed_by_user_id, killed_by_email
from activity;
