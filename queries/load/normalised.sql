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
    case when id not in ('', '[]', '{}') then id end as id,
    -- record fields: made by `make generate` from schemas/fields.json
    account_id, http_verb, requested_http_verb, requested_path, requested_path_info, affected_user_id, affected_user,
    resource_type, resource_id, resource_name, resource_path, target_table, target_resource_id, target_resource_name,
    target_connection, attribute_name, old_value, new_value, old_values, new_values, count, amount, size, bytesize,
    format, job, job_type, query_text, scheduled_time, arguments, session_id, session_time, is_scheduled,
    task_created_at, task_finished_at, task_duration, task_exit_code, diagnostic_messages, revision_created_user,
    docker_image, mail_from, mail_subject, mail_to, mail_cc, mail_bcc, mail_delivery, event_detail, visibility,
    required_visibility,
    -- end of record fields
    extra
from matched('requests');
