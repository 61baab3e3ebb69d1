-- The timeline of the subjects that are due: for a policy or user and a moment the newest evidence counts.
delete from access_timeline_rows
where rowid in (
    select r.rowid
    from access_timeline_rows as r
    semi join access_due as d
        on d.source = r.source and d.subject_kind = r.subject_kind and d.subject_id = r.subject_id
);

insert into access_timeline_rows (
    source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
    valid_from, valid_to, held_since, evidence, is_uncertain,
    granted_by_user_id, granted_by_user_email, granted_event_key,
    revoked_by_user_id, revoked_by_user_email, revoked_event_key, snapshot_id
)
with
held as (
    select
        p.series_key, p.permission, t.valid_from, t.valid_to, p.valid_from as held_since,
        case when t.is_unknown then 'unknown' else p.evidence end as evidence,
        p.is_uncertain, p.granting, case when t.valid_to = p.valid_to then p.revoking end as revoking, p.snapshot_id
    from piece_parts as t
    inner join pieces as p on p.piece_key = t.piece_key
    union all
    select
        series_key, permission, held_since as valid_from, event_time as valid_to, held_since,
        'unknown' as evidence, false as is_uncertain, null as granting, null as revoking, null as snapshot_id
    from found_rights
)
select
    s.source, s.subject_kind, s.subject_id, s.origin,
    h.permission.kind as resource_kind, h.permission.operation as operation,
    h.permission.id as object_id, h.permission.name as object_name,
    h.valid_from, h.valid_to, h.held_since, h.evidence, h.is_uncertain,
    h.granting.user_id as granted_by_user_id, h.granting.email as granted_by_user_email,
    h.granting.key as granted_event_key,
    h.revoking.user_id as revoked_by_user_id, h.revoking.email as revoked_by_user_email,
    h.revoking.key as revoked_event_key, h.snapshot_id
from held as h
inner join due_series as s on s.series_key = h.series_key;

drop table due_series;

drop table due_marks;

drop table due_spans;

drop table policy_changes;

drop table due_readings;

drop table log_phases;

drop table snapshot_phases;

drop table read_permissions;

drop table shown_rights;

drop table seen_rights;

drop table logged_rights;

drop table policy_pieces;

drop table listed_flags;

drop table pieces;

drop table evidence_times;

drop table silences;

drop table piece_parts;

drop table found_rights;
