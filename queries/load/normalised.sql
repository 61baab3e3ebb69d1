-- Staged records as event rows: matched with the catalog, with the read that brought them.
create or replace temp macro normalised(from_files, max_bytes, of_source, of_run, of_read, seen_at, bucket_ms) as table
with
requests as (
    select
        *,
        coalesce(nullif(requested_http_verb, ''), nullif(http_verb, '')) as verb,
        coalesce(nullif(requested_path_info, ''), nullif(requested_path, '')) as path
    from incoming(from_files, max_bytes, of_source)
    where "time" is not null
),
trimmed as (
    -- Query string, slashes at both ends and the optional format suffix do not count (seed 001, rule 4).
    select *, '/' || trim(split_part(split_part(path, '?', 1), '#', 1), '/') as trimmed_path
    from requests
),
paths as (
    select
        *,
        case
            when contains(trimmed_path, '.')
            then regexp_replace(trimmed_path, '([^/])\.[A-Za-z0-9]+(\.[A-Za-z0-9]+)?$', '\1')
            else trimmed_path
        end as bare_path
    from trimmed
),
named as (
    select
        p.*,
        n.is_alias,
        n.max_segments,
        case
            when contains(p.trimmed_path || '/', '/entities/') then n.entities_entry_id
            else n.plain_entry_id
        end as name_entry_id,
        length(p.bare_path) - length(replace(p.bare_path, '/', '')) as segments
    from paths as p
    left join catalog_names as n on n.recorded_name = p.event_name
),
matched as (
    select
        n.*,
        case
            when t.recorded_name is null then null
            when n.bare_path like t.first_template.pattern escape '\' then t.first_template
            when t.templates is not null
            then list_filter(t.templates, lambda x: n.bare_path like x.pattern escape '\')[1]
        end as template
    from named as n
    left join template_lookup as t
        on t.recorded_name = n.event_name
        and t.verb = upper(n.verb)
        and t.segments = least(n.segments, n.max_segments)
),
classified as (
    select
        m.*,
        e.entry_id,
        case
            when e.entry_id is null then 'unknown_event'
            when m.is_alias then 'alias'
            when e.operation_not_shown then 'operation_not_shown'
            when m.template is not null then 'documented_operation'
            when e.trigger is not null then 'non_http_trigger'
            else 'undocumented_operation'
        end as catalog_match
    from matched as m
    left join catalog_entries as e on e.entry_id = coalesce(m.template.entry_id, m.name_entry_id)
)
select
    cast(record_key as uuid) as event_key,
    of_source as source,
    time_bucket(to_milliseconds(bucket_ms::bigint), "time", timestamp '1970-01-01') as window_start,
    of_run as run_id,
    seen_at::timestamp as first_seen_at,
    of_read as read_id,
    page_number, record_number,
    "time" as event_time,
    cast("time" as date) as event_date,
    event_name, entry_id, template.operation_id as operation_id, catalog_match::catalog_match as catalog_match,
    user_id, user_email, ip_address, event_result,
    case when id not in ('', '[]', '{}') then id end as id, account_id, http_verb, requested_http_verb, requested_path, requested_path_info,
    affected_user_id, affected_user,
    resource_type, resource_id, resource_name, resource_path,
    target_table, target_resource_id, target_resource_name, target_connection,
    attribute_name, old_value, new_value, old_values, new_values,
    count, amount, size, bytesize, format,
    job, job_type, query_text, scheduled_time, arguments,
    session_id, session_time, is_scheduled,
    task_created_at, task_finished_at, task_duration, task_exit_code,
    diagnostic_messages, revision_created_user, docker_image,
    mail_from, mail_subject, mail_to, mail_cc, mail_bcc, mail_delivery,
    event_detail, visibility, required_visibility,
    extra
from classified;
