-- One row per audit event. The e-mail of the actor comes from the record, else from the directory (seed 001, What the
-- service does, rule 2). It is in lower case, since people are written in several ways, as `user_email` shows.
create or replace view events as
select
    lower(hex(cast(e.event_key as blob))) as event_key,
    e.source, e.window_start, e.run_id, e.first_seen_at, e.page_number, e.record_number,
    e.event_time, e.event_date,
    e.event_name, c.event_name as canonical_name, c.variant, c.area, c.generation,
    cast(e.catalog_match as varchar) as catalog_match,
    coalesce(nullif(e.requested_http_verb, ''), nullif(e.http_verb, '')) as verb,
    coalesce(nullif(e.requested_path_info, ''), nullif(e.requested_path, '')) as path,
    o.operation,
    e.user_id, e.user_email,
    lower(coalesce(nullif(e.user_email, ''), u.email)) as actor_email,
    case
        when nullif(e.user_email, '') is not null then 'recorded'
        when u.email is not null then 'directory'
    end as actor_email_source,
    lower(coalesce(nullif(e.user_email, ''), u.email, 'user ' || cast(e.user_id as varchar), 'unknown')) as actor,
    e.ip_address,
    e.event_result,
    case
        when c.denial_kind in ('failed_sign_in', 'failed_result_export') then 'failed'
        when c.denial_kind is not null then 'denied'
        when lower(trim(e.event_result)) in ('denied', 'unauthorized', 'forbidden') then 'denied'
        when lower(trim(e.event_result)) in ('failed', 'failure', 'error') then 'failed'
        when e.entry_id is not null or trim(e.event_result) <> '' then 'succeeded'
        -- The form of the name decides for an event that the catalog does not know.
        when e.required_visibility <> '' then 'denied'
        when lower(e.event_name) like '%.column\_visibility\_violation' escape '\' then 'denied'
        when lower(e.event_name) like 'sign\_in\_failed%' escape '\' then 'failed'
        when lower(e.event_name) like '%\_unauthorized' escape '\' then 'denied'
        when lower(e.event_name) like '%\_denied' escape '\' then 'denied'
        when lower(e.event_name) like '%\_failed' escape '\' then 'failed'
        else 'unknown'
    end as outcome,
    coalesce(c.denial_kind, d.denial_kind, case
        when e.entry_id is not null then null
        when trim(e.event_result) <> ''
            and lower(trim(e.event_result)) not in ('denied', 'unauthorized', 'forbidden')
            and lower(trim(e.event_result)) not in ('failed', 'failure', 'error') then null
        when e.required_visibility <> '' then 'column_visibility_denial'
        when lower(e.event_name) like '%.column\_visibility\_violation' escape '\' then 'column_visibility_denial'
        when lower(e.event_name) like 'sign\_in\_failed%' escape '\' then 'failed_sign_in'
        when lower(e.event_name) like '%\_unauthorized' escape '\' then 'unauthorized_action'
        when lower(e.event_name) like '%\_denied' escape '\' then 'unauthorized_action'
    end) as denial_kind,
    lower(nullif(case
        when c.event_name in ('database_create', 'database_modify', 'database_delete') then e.resource_name
        when c.area in ('Jobs', 'Table', 'Bulk import', 'File upload')
            and coalesce(e.target_table, e.resource_name) like '%.%'
        then substring(
            coalesce(e.target_table, e.resource_name) from 1
            for position('.' in coalesce(e.target_table, e.resource_name)) - 1
        )
    end, '')) as database_name,
    -- The path names the job whose result goes out, whatever the columns hold. One pattern, since the macro split_part
    -- repeats its argument: nested, it took most of the planning of a statement.
    case when c.event_name in ('job_result_export', 'job_result_export_failed') then coalesce(
        nullif(regexp_extract(
            coalesce(nullif(e.requested_path_info, ''), nullif(e.requested_path, '')), '/result_export/([^?#/.]*)', 1
        ), ''),
        nullif(e.target_resource_id, ''), nullif(e.resource_id, '')
    ) end as exported_job_id,
    e.id,
    -- record fields of e: made by `make generate` from schemas/fields.json
    e.account_id, e.http_verb, e.requested_http_verb, e.requested_path, e.requested_path_info, e.affected_user_id,
    e.affected_user, e.resource_type, e.resource_id, e.resource_name, e.resource_path, e.target_table,
    e.target_resource_id, e.target_resource_name, e.target_connection, e.attribute_name, e.old_value, e.new_value,
    e.old_values, e.new_values, e.count, e.amount, e.size, e.bytesize, e.format, e.job, e.job_type, e.query_text,
    e.scheduled_time, e.arguments, e.session_id, e.session_time, e.is_scheduled, e.task_created_at, e.task_finished_at,
    e.task_duration, e.task_exit_code, e.diagnostic_messages, e.revision_created_user, e.docker_image, e.mail_from,
    e.mail_subject, e.mail_to, e.mail_cc, e.mail_bcc, e.mail_delivery, e.event_detail, e.visibility,
    e.required_visibility,
    -- end of record fields
    e.extra
from event_rows as e
left join catalog_entries as c on c.entry_id = e.entry_id
left join operation_texts as o on o.operation_id = e.operation_id
left join catalog_denied_results as d on d.area = c.area and d.event_result = lower(trim(e.event_result))
left join last_known_users as u on u.source = e.source and u.user_id = e.user_id;

-- Records that carry an id another record has too, with other content; found before publication (queries/derived/id_conflict_rows.sql).
create or replace view id_conflicts as
select source, id, versions, first_event_time
from id_conflict_rows;
