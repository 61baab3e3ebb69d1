-- Generated from schemas/fields.json by `make generate`; do not edit.

create or replace temp macro to_moment(text) as
case
    when try_cast(text as bigint) between -99999999999 and 99999999999 and not contains(text, '.')
    then make_timestamp(cast(text as bigint) * 1000000)
    when try_cast(text as bigint) between 100000000000 and 99999999999999 then make_timestamp(cast(text as bigint) * 1000)
    when regexp_full_match(text, '[0-9]{1,11}[.][0-9]+')
    then make_timestamp(cast(round(cast(text as double) * 1000000) as bigint))
    else try_cast(regexp_replace(text, ' ?UTC$', 'Z') as timestamp)
end;

create or replace temp macro fits_moment(moment) as
moment between timestamp '1970-01-01' and timestamp '2200-01-01';

create or replace temp macro others_text(others) as
list_aggregate(
    list_transform(
        list_sort(list_filter(
            map_entries(json_transform(others, '"MAP(VARCHAR,VARCHAR)"')),
            lambda e: coalesce(e.value, '') <> ''
        )),
        lambda e: chr(30) || strlen(e.key) || ':' || e.key || strlen(e.value) || ':' || e.value
    ),
    'string_agg', ''
);

create or replace temp macro incoming(files, record_bytes) as table
with
texts as (
    select
        filename,
        "account_id",
        "affected_user",
        "affected_user_id",
        "amount",
        "arguments",
        "attribute_name",
        "bytesize",
        "count",
        "diagnostic_messages",
        "docker_image",
        "event_detail",
        "event_name",
        "event_result",
        "format",
        "http_verb",
        "id",
        "ip_address",
        "is_scheduled",
        "job",
        "job_type",
        "mail_bcc",
        "mail_cc",
        "mail_delivery",
        "mail_from",
        "mail_subject",
        "mail_to",
        "new_value",
        "new_values",
        "old_value",
        "old_values",
        "query_text",
        "requested_http_verb",
        "requested_path",
        "requested_path_info",
        "required_visibility",
        "resource_id",
        "resource_name",
        "resource_path",
        "resource_type",
        "revision_created_user",
        "scheduled_time",
        "session_id",
        "session_time",
        "size",
        "target_connection",
        "target_resource_id",
        "target_resource_name",
        "target_table",
        "task_created_at",
        "task_duration",
        "task_exit_code",
        "task_finished_at",
        "time",
        "user_email",
        "user_id",
        "visibility",
        "auditlake:fingerprint" as given_fingerprint,
        "auditlake:others" as others
    from read_json(
        files, format = 'newline_delimited', ignore_errors = true, filename = true,
        maximum_object_size = record_bytes,
        columns = {'account_id': 'VARCHAR', 'affected_user': 'VARCHAR', 'affected_user_id': 'VARCHAR', 'amount': 'VARCHAR', 'arguments': 'VARCHAR', 'attribute_name': 'VARCHAR', 'bytesize': 'VARCHAR', 'count': 'VARCHAR', 'diagnostic_messages': 'VARCHAR', 'docker_image': 'VARCHAR', 'event_detail': 'VARCHAR', 'event_name': 'VARCHAR', 'event_result': 'VARCHAR', 'format': 'VARCHAR', 'http_verb': 'VARCHAR', 'id': 'VARCHAR', 'ip_address': 'VARCHAR', 'is_scheduled': 'VARCHAR', 'job': 'VARCHAR', 'job_type': 'VARCHAR', 'mail_bcc': 'VARCHAR', 'mail_cc': 'VARCHAR', 'mail_delivery': 'VARCHAR', 'mail_from': 'VARCHAR', 'mail_subject': 'VARCHAR', 'mail_to': 'VARCHAR', 'new_value': 'VARCHAR', 'new_values': 'VARCHAR', 'old_value': 'VARCHAR', 'old_values': 'VARCHAR', 'query_text': 'VARCHAR', 'requested_http_verb': 'VARCHAR', 'requested_path': 'VARCHAR', 'requested_path_info': 'VARCHAR', 'required_visibility': 'VARCHAR', 'resource_id': 'VARCHAR', 'resource_name': 'VARCHAR', 'resource_path': 'VARCHAR', 'resource_type': 'VARCHAR', 'revision_created_user': 'VARCHAR', 'scheduled_time': 'VARCHAR', 'session_id': 'VARCHAR', 'session_time': 'VARCHAR', 'size': 'VARCHAR', 'target_connection': 'VARCHAR', 'target_resource_id': 'VARCHAR', 'target_resource_name': 'VARCHAR', 'target_table': 'VARCHAR', 'task_created_at': 'VARCHAR', 'task_duration': 'VARCHAR', 'task_exit_code': 'VARCHAR', 'task_finished_at': 'VARCHAR', 'time': 'VARCHAR', 'user_email': 'VARCHAR', 'user_id': 'VARCHAR', 'visibility': 'VARCHAR', 'auditlake:fingerprint': 'VARCHAR', 'auditlake:others': 'VARCHAR'}
    )
),
typed as (
    select
        filename, given_fingerprint, others,
        case when cast(try_cast("account_id" as bigint) as varchar) = "account_id" then try_cast("account_id" as bigint) end as "account_id",
        "account_id" as text_account_id,
        nullif("account_id", '') is not null and (case when cast(try_cast("account_id" as bigint) as varchar) = "account_id" then try_cast("account_id" as bigint) end) is null as misfit_account_id,
        "affected_user",
        case when cast(try_cast("affected_user_id" as bigint) as varchar) = "affected_user_id" then try_cast("affected_user_id" as bigint) end as "affected_user_id",
        "affected_user_id" as text_affected_user_id,
        nullif("affected_user_id", '') is not null and (case when cast(try_cast("affected_user_id" as bigint) as varchar) = "affected_user_id" then try_cast("affected_user_id" as bigint) end) is null as misfit_affected_user_id,
        case when cast(try_cast("amount" as bigint) as varchar) = "amount" then try_cast("amount" as bigint) end as "amount",
        "amount" as text_amount,
        nullif("amount", '') is not null and (case when cast(try_cast("amount" as bigint) as varchar) = "amount" then try_cast("amount" as bigint) end) is null as misfit_amount,
        "arguments",
        "attribute_name",
        case when cast(try_cast("bytesize" as bigint) as varchar) = "bytesize" then try_cast("bytesize" as bigint) end as "bytesize",
        "bytesize" as text_bytesize,
        nullif("bytesize", '') is not null and (case when cast(try_cast("bytesize" as bigint) as varchar) = "bytesize" then try_cast("bytesize" as bigint) end) is null as misfit_bytesize,
        case when cast(try_cast("count" as bigint) as varchar) = "count" then try_cast("count" as bigint) end as "count",
        "count" as text_count,
        nullif("count", '') is not null and (case when cast(try_cast("count" as bigint) as varchar) = "count" then try_cast("count" as bigint) end) is null as misfit_count,
        "diagnostic_messages",
        "docker_image",
        "event_detail",
        "event_name",
        "event_result",
        "format",
        "http_verb",
        "id",
        "ip_address",
        case when "is_scheduled" in ('true', 'false') then try_cast("is_scheduled" as boolean) end as "is_scheduled",
        "is_scheduled" as text_is_scheduled,
        nullif("is_scheduled", '') is not null and (case when "is_scheduled" in ('true', 'false') then try_cast("is_scheduled" as boolean) end) is null as misfit_is_scheduled,
        "job",
        "job_type",
        "mail_bcc",
        "mail_cc",
        "mail_delivery",
        "mail_from",
        "mail_subject",
        "mail_to",
        "new_value",
        "new_values",
        "old_value",
        "old_values",
        "query_text",
        "requested_http_verb",
        "requested_path",
        "requested_path_info",
        "required_visibility",
        "resource_id",
        "resource_name",
        "resource_path",
        "resource_type",
        "revision_created_user",
        case when fits_moment(to_moment("scheduled_time")) then to_moment("scheduled_time") end as "scheduled_time",
        "scheduled_time" as text_scheduled_time,
        nullif("scheduled_time", '') is not null and (case when fits_moment(to_moment("scheduled_time")) then to_moment("scheduled_time") end) is null as misfit_scheduled_time,
        "session_id",
        case when fits_moment(to_moment("session_time")) then to_moment("session_time") end as "session_time",
        "session_time" as text_session_time,
        nullif("session_time", '') is not null and (case when fits_moment(to_moment("session_time")) then to_moment("session_time") end) is null as misfit_session_time,
        case when cast(try_cast("size" as bigint) as varchar) = "size" then try_cast("size" as bigint) end as "size",
        "size" as text_size,
        nullif("size", '') is not null and (case when cast(try_cast("size" as bigint) as varchar) = "size" then try_cast("size" as bigint) end) is null as misfit_size,
        "target_connection",
        "target_resource_id",
        "target_resource_name",
        "target_table",
        case when fits_moment(to_moment("task_created_at")) then to_moment("task_created_at") end as "task_created_at",
        "task_created_at" as text_task_created_at,
        nullif("task_created_at", '') is not null and (case when fits_moment(to_moment("task_created_at")) then to_moment("task_created_at") end) is null as misfit_task_created_at,
        case when isfinite(try_cast("task_duration" as double)) then try_cast("task_duration" as double) end as "task_duration",
        "task_duration" as text_task_duration,
        nullif("task_duration", '') is not null and (case when isfinite(try_cast("task_duration" as double)) then try_cast("task_duration" as double) end) is null as misfit_task_duration,
        case when cast(try_cast("task_exit_code" as bigint) as varchar) = "task_exit_code" then try_cast("task_exit_code" as bigint) end as "task_exit_code",
        "task_exit_code" as text_task_exit_code,
        nullif("task_exit_code", '') is not null and (case when cast(try_cast("task_exit_code" as bigint) as varchar) = "task_exit_code" then try_cast("task_exit_code" as bigint) end) is null as misfit_task_exit_code,
        case when fits_moment(to_moment("task_finished_at")) then to_moment("task_finished_at") end as "task_finished_at",
        "task_finished_at" as text_task_finished_at,
        nullif("task_finished_at", '') is not null and (case when fits_moment(to_moment("task_finished_at")) then to_moment("task_finished_at") end) is null as misfit_task_finished_at,
        case when fits_moment(to_moment("time")) then to_moment("time") end as "time",
        "time" as text_time,
        "user_email",
        case when cast(try_cast("user_id" as bigint) as varchar) = "user_id" then try_cast("user_id" as bigint) end as "user_id",
        "user_id" as text_user_id,
        nullif("user_id", '') is not null and (case when cast(try_cast("user_id" as bigint) as varchar) = "user_id" then try_cast("user_id" as bigint) end) is null as misfit_user_id,
        "visibility",
        concat("account_id", chr(30), "affected_user", chr(30), "affected_user_id", chr(30), "amount", chr(30), "arguments", chr(30), "attribute_name", chr(30), "bytesize", chr(30), "count", chr(30), "diagnostic_messages", chr(30), "docker_image", chr(30), "event_detail", chr(30), "event_name", chr(30), "event_result", chr(30), "format", chr(30), "http_verb", chr(30), "id", chr(30), "ip_address", chr(30), "is_scheduled", chr(30), "job", chr(30), "job_type", chr(30), "mail_bcc", chr(30), "mail_cc", chr(30), "mail_delivery", chr(30), "mail_from", chr(30), "mail_subject", chr(30), "mail_to", chr(30), "new_value", chr(30), "new_values", chr(30), "old_value", chr(30), "old_values", chr(30), "query_text", chr(30), "requested_http_verb", chr(30), "requested_path", chr(30), "requested_path_info", chr(30), "required_visibility", chr(30), "resource_id", chr(30), "resource_name", chr(30), "resource_path", chr(30), "resource_type", chr(30), "revision_created_user", chr(30), "scheduled_time", chr(30), "session_id", chr(30), "session_time", chr(30), "size", chr(30), "target_connection", chr(30), "target_resource_id", chr(30), "target_resource_name", chr(30), "target_table", chr(30), "task_created_at", chr(30), "task_duration", chr(30), "task_exit_code", chr(30), "task_finished_at", chr(30), "time", chr(30), "user_email", chr(30), "user_id", chr(30), "visibility") as baseline_text
    from texts
)
select
    filename,
    coalesce(given_fingerprint, md5(baseline_text || coalesce(others_text(others), ''))) as fingerprint,
    case
        when misfit_account_id
            or misfit_affected_user_id
            or misfit_amount
            or misfit_bytesize
            or misfit_count
            or misfit_is_scheduled
            or misfit_scheduled_time
            or misfit_session_time
            or misfit_size
            or misfit_task_created_at
            or misfit_task_duration
            or misfit_task_exit_code
            or misfit_task_finished_at
            or misfit_user_id
        then json_merge_patch(coalesce(others, '{}'), json_object(
            'account_id', case when misfit_account_id then text_account_id end,
            'affected_user_id', case when misfit_affected_user_id then text_affected_user_id end,
            'amount', case when misfit_amount then text_amount end,
            'bytesize', case when misfit_bytesize then text_bytesize end,
            'count', case when misfit_count then text_count end,
            'is_scheduled', case when misfit_is_scheduled then text_is_scheduled end,
            'scheduled_time', case when misfit_scheduled_time then text_scheduled_time end,
            'session_time', case when misfit_session_time then text_session_time end,
            'size', case when misfit_size then text_size end,
            'task_created_at', case when misfit_task_created_at then text_task_created_at end,
            'task_duration', case when misfit_task_duration then text_task_duration end,
            'task_exit_code', case when misfit_task_exit_code then text_task_exit_code end,
            'task_finished_at', case when misfit_task_finished_at then text_task_finished_at end,
            'user_id', case when misfit_user_id then text_user_id end
        ))
        else others
    end as extra,
    "account_id",
    "affected_user",
    "affected_user_id",
    "amount",
    "arguments",
    "attribute_name",
    "bytesize",
    "count",
    "diagnostic_messages",
    "docker_image",
    "event_detail",
    "event_name",
    "event_result",
    "format",
    "http_verb",
    "id",
    "ip_address",
    "is_scheduled",
    "job",
    "job_type",
    "mail_bcc",
    "mail_cc",
    "mail_delivery",
    "mail_from",
    "mail_subject",
    "mail_to",
    "new_value",
    "new_values",
    "old_value",
    "old_values",
    "query_text",
    "requested_http_verb",
    "requested_path",
    "requested_path_info",
    "required_visibility",
    "resource_id",
    "resource_name",
    "resource_path",
    "resource_type",
    "revision_created_user",
    "scheduled_time",
    "session_id",
    "session_time",
    "size",
    "target_connection",
    "target_resource_id",
    "target_resource_name",
    "target_table",
    "task_created_at",
    "task_duration",
    "task_exit_code",
    "task_finished_at",
    "time",
    "user_email",
    "user_id",
    "visibility"
from typed;
