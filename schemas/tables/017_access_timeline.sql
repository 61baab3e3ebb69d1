-- One row per right of a policy or a user and interval, with its evidence; filled at load from the log, snapshots, the
-- user directory and the ledger.
create table access_timeline_rows (
    source varchar not null,
    subject_kind varchar not null,
    subject_id varchar not null,
    origin varchar not null,
    resource_kind varchar,
    operation varchar,
    object_id varchar,
    object_name varchar,
    valid_from timestamp,
    valid_to timestamp,
    -- Where the holding begins that this stretch is a part of.
    held_since timestamp,
    evidence varchar not null,
    is_uncertain boolean not null,
    granted_by_user_id bigint,
    granted_by_user_email varchar,
    granted_event_key uuid,
    revoked_by_user_id bigint,
    revoked_by_user_email varchar,
    revoked_event_key uuid,
    snapshot_id varchar
);

-- One row per right of a policy and stretch of time, by whatever evidence follows without a gap.
create table policy_right_rows (
    source varchar not null,
    policy_id varchar not null,
    resource_kind varchar,
    operation varchar,
    object_id varchar,
    object_name varchar,
    valid_from timestamp,
    valid_to timestamp,
    held_since timestamp,
    granted_by_user_id bigint,
    granted_by_user_email varchar,
    granted_event_key uuid,
    known_from varchar not null
);

-- Policies and users whose rows above have to be rebuilt; deleted afterwards.
create table access_due (
    source varchar not null,
    subject_kind varchar not null,
    subject_id varchar not null
);

-- Unread or given-up intervals of the ledger, as of the last refresh of the rows above.
create table access_gap_rows (
    source varchar not null,
    gap_start timestamp not null,
    gap_end timestamp not null
);
