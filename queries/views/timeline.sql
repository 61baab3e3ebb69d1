-- Timeline entries: one row per event, or per change of rights if it has several. A query job is listed at its issue,
-- with its outcome. `database_name` is that of the job, else the first part of a name of the form database.table; in
-- lower case.
create or replace view timeline as
select
    e.event_key, e.source, e.event_time, e.event_date,
    case
        when e.outcome in ('denied', 'failed') then 'denial'
        when c.event_key is not null then 'change'
        when j.activity_key is not null then 'job'
        else 'event'
    end as entry,
    e.user_id, e.actor_email, e.actor, e.ip_address,
    coalesce(e.canonical_name, e.event_name, 'unknown') as event_name,
    e.area, e.operation, e.outcome, e.denial_kind,
    coalesce(
        c.object_name, c.object_id, e.resource_name, e.resource_path, e.target_resource_name, e.target_table,
        e.resource_id, e.target_resource_id
    ) as object,
    case
        when e.outcome in ('denied', 'failed')
        then coalesce(e.denial_kind, lower(nullif(trim(e.event_result), '')), e.outcome)
        when c.event_key is not null then c.change || coalesce(' ' || c.operation, '')
        when j.activity_key is not null then j.status
        else e.attribute_name
    end as detail,
    coalesce(
        c.subject_name, c.subject_kind || ' ' || c.subject_id, e.affected_user,
        'user ' || cast(e.affected_user_id as varchar)
    ) as affected,
    coalesce(lower(nullif(j.database_name, '')), e.database_name) as database_name,
    j.duration_seconds, e.bytesize,
    coalesce(e.query_text, j.query_text) as query_text,
    e.affected_user_id, e.affected_user,
    e.resource_type, e.resource_id, e.resource_name, e.resource_path,
    e.target_table, e.target_resource_id, e.target_resource_name, e.job,
    c.change, c.resource_kind as right_kind, c.operation as right_operation,
    c.object_id as right_object_id, c.object_name as right_object_name,
    c.subject_kind as change_subject_kind, c.subject_id as change_subject_id
from events as e
left join permission_changes as c
    on c.source = e.source and c.event_time = e.event_time and c.event_key = e.event_key
left join query_activity as j
    on j.source = e.source and j.activity_time = e.event_time and j.activity_key = e.event_key
    and j.activity = 'job';
