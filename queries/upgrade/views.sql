-- The ledger of a database of version 1, attached as `former`, as one of today has it: `old` is where a rebuild looks.
-- What that version called final rested on two equal reads alone.
create view old.window_reads as
select
    r.read_id, r.run_id, r.source, r.window_start, r.window_end, r.read_at, r.server_time,
    case when r.state in ('sealed', 'finalized') then 'accepted' else r.state end as state,
    r.pages, r.fetched, r.inserted, r.duplicate, r.quarantined, r.vanished, r.outside, r.digest,
    case when r.state = 'closed' then 'once' end as reason,
    case when r.state in ('sealed', 'finalized') then ['earlier_version'] else [] end::varchar[] as evidence,
    []::varchar[] as signs,
    false as neutral,
    1 as parts,
    null::varchar as form,
    false as next_followed,
    false as half_asked,
    null::bigint as smallest_followed,
    null::varchar as note,
    false as is_mark,
    0::bigint as doubtful,
    0::bigint as withheld,
    null::timestamp as claimed_at,
    null::uuid[] as unshown
from former.window_reads as r;

create view old.ingest_pages as
select p.read_id, p.run_id, p.source, p.page, p.sha256, p.bytes, p.fetched, p.inserted, p.duplicate, p.quarantined
from former.ingest_pages as p;

create view old.ingest_runs as
select
    g.run_id, g.source, g.command, g.started_at, g.finished_at, g.range_start, g.range_end, g.outcome,
    g.windows, g.pages, g.fetched, g.inserted, g.duplicate, g.quarantined, g.vanished,
    g.requests, g.retries, g.bytes, g.catalog_version, g.tool_version, g.error
from former.ingest_runs as g;

create view old.quarantine as
select q.quarantine_key, q.source, q.run_id, q.sha256, q.page, q.reason, q.record_text, q.first_seen_at
from former.quarantine as q;

-- Each event as a record again: typed values and the members that did not fit or were not known. The load gives it its
-- key, as it does for a page.
create view old.records as
select
    e.rowid as row_id, e.read_id, e.page, e.first_seen_at, e.event_time, e.event_name, e.id,
    cast(json_merge_patch(coalesce(e.extra, '{}'), json_merge_patch('{}', json_object(
        'time', e.event_time, 'event_name', e.event_name,
        'user_id', e.user_id, 'user_email', e.user_email, 'ip_address', e.ip_address,
        'event_result', e.event_result, 'id', e.id, 'account_id', e.account_id,
        'http_verb', e.http_verb, 'requested_http_verb', e.requested_http_verb,
        'requested_path', e.requested_path, 'requested_path_info', e.requested_path_info,
        'affected_user_id', e.affected_user_id, 'affected_user', e.affected_user,
        'resource_type', e.resource_type, 'resource_id', e.resource_id,
        'resource_name', e.resource_name, 'resource_path', e.resource_path,
        'target_table', e.target_table, 'target_resource_id', e.target_resource_id,
        'target_resource_name', e.target_resource_name, 'target_connection', e.target_connection,
        'attribute_name', e.attribute_name,
        'old_value', e.old_value, 'new_value', e.new_value,
        'old_values', e.old_values, 'new_values', e.new_values,
        'count', e.count, 'amount', e.amount, 'size', e.size, 'bytesize', e.bytesize, 'format', e.format,
        'job', e.job, 'job_type', e.job_type, 'query_text', e.query_text,
        'scheduled_time', e.scheduled_time, 'arguments', e.arguments,
        'session_id', e.session_id, 'session_time', e.session_time, 'is_scheduled', e.is_scheduled,
        'task_created_at', e.task_created_at, 'task_finished_at', e.task_finished_at,
        'task_duration', e.task_duration, 'task_exit_code', e.task_exit_code,
        'diagnostic_messages', e.diagnostic_messages, 'revision_created_user', e.revision_created_user,
        'docker_image', e.docker_image,
        'mail_from', e.mail_from, 'mail_subject', e.mail_subject, 'mail_to', e.mail_to,
        'mail_cc', e.mail_cc, 'mail_bcc', e.mail_bcc, 'mail_delivery', e.mail_delivery,
        'event_detail', e.event_detail, 'visibility', e.visibility, 'required_visibility', e.required_visibility
    ))) as varchar) as record
from former.event_rows as e;

-- Events that are taken from the old database with another read than theirs.
create or replace temp table moved (
    row_id bigint,
    read_id varchar,
    page integer
);
