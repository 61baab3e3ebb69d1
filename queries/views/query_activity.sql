-- One row per query job, filled at load (queries/derived/jobs.sql). A job's issue, start and finish are separate
-- events, often in different windows, joined by the job's id (seed 001, What the service does, rule 1). Its text stays
-- in the event of text_time and text_key.
create or replace view query_jobs as
select
    lower(hex(cast(j.activity_key as blob))) as activity_key, j.source,
    j.activity_time, j.activity_date, j.job_id, j.job_name, lower(j.database_name) as database_name,
    j.user_id, coalesce(j.user_email, lower(u.email)) as actor_email,
    coalesce(j.user_email, lower(u.email), 'user ' || cast(j.user_id as varchar), 'unknown') as actor,
    j.ip_address,
    j.job_type, j.target_table, j.scheduled_time, j.issued_at, j.started_at, j.finished_at,
    -- Clocks of a service differ: an end may stand before the issue.
    case
        when j.finished_at >= coalesce(j.started_at, j.issued_at)
        then date_diff('second', coalesce(j.started_at, j.issued_at), j.finished_at)
    end as duration_seconds,
    j.status,
    j.killed_by_user_id, coalesce(j.killed_by_user_email, lower(k.email)) as killed_by_email,
    j.text_time, coalesce(j.text_key, j.activity_key) as text_key
from job_rows as j
left join last_known_users as u on u.source = j.source and u.user_id = j.user_id
left join last_known_users as k on k.source = j.source and k.user_id = j.killed_by_user_id;

-- One row per query job or saved-query action that took place; denied and failed ones are excluded. Use query_jobs if
-- you need neither text nor a time range: it does not look up the text.
create or replace view query_activity as
select
    j.activity_key, j.source, 'job' as activity, j.activity_time, j.activity_date,
    j.job_id as object_id, j.job_name as object_name, j.database_name, j.user_id, j.actor_email, j.actor,
    j.ip_address,
    j.job_type, t.query_text, j.target_table, j.scheduled_time, j.issued_at, j.started_at, j.finished_at,
    j.duration_seconds, j.status, j.killed_by_user_id, j.killed_by_email
from query_jobs as j
left join event_rows as t on t.event_time = j.text_time and t.event_key = j.text_key
union all
select
    event_key as activity_key, source, canonical_name as activity, event_time as activity_time,
    event_date as activity_date,
    resource_id as object_id, resource_name as object_name, null as database_name, user_id, actor_email, actor,
    ip_address,
    job_type, query_text, target_table, scheduled_time,
    null as issued_at, null as started_at, null as finished_at,
    null as duration_seconds, null as status, null as killed_by_user_id, null as killed_by_email
from events
where canonical_name in ('query_create', 'query_clone', 'query_modify', 'query_run', 'query_delete')
  and outcome = 'succeeded';
