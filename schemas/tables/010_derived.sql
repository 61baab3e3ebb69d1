-- Derived tables: aggregates of the events of many days, refreshed at load and always equal to a rebuild. People are as
-- recorded, since the user directory changes later; e-mails in lower case.

-- One row per query job.
create table job_rows (
    source varchar not null,
    job_id varchar not null,
    activity_key uuid not null,
    activity_time timestamp not null,
    activity_date date not null,
    -- The days on which the job has events: where to look when another one comes.
    event_dates date[] not null,
    job_name varchar,
    database_name varchar,
    user_id bigint,
    user_email varchar,
    ip_address varchar,
    job_type varchar,
    -- The event with the text; the key is null if it is the activity's own event, both are null without a text.
    text_time timestamp,
    text_key uuid,
    target_table varchar,
    scheduled_time timestamp,
    issued_at timestamp,
    started_at timestamp,
    finished_at timestamp,
    status varchar not null,
    killed_by_user_id bigint,
    killed_by_user_email varchar
);

-- One row per event that makes, changes or ends a policy, a database, a role, a user, or what they may do.
create table access_event_rows (
    event_key uuid not null,
    source varchar not null,
    event_time timestamp not null,
    event_date date not null,
    canonical_name varchar not null,
    is_successful boolean not null,
    user_id bigint,
    user_email varchar,
    ip_address varchar,
    resource_id varchar,
    resource_name varchar,
    affected_user varchar,
    -- As they stand, where something of them cannot be read.
    old_value varchar,
    new_value varchar
);

-- One row per change and permission that its old or its new value holds.
create table permission_mark_rows (
    event_key uuid not null,
    source varchar not null,
    event_time timestamp not null,
    user_id bigint,
    user_email varchar,
    canonical_name varchar not null,
    subject_kind varchar not null,
    subject_id varchar,
    origin varchar not null,
    scope_id varchar not null,
    resource_kind varchar,
    operation varchar,
    object_id varchar,
    object_name varchar,
    is_held_before boolean,
    is_held_after boolean not null,
    is_unparsed boolean not null,
    is_statement boolean not null
);

-- One row per permission and interval in which it was held.
create table permission_span_rows (
    source varchar not null,
    subject_kind varchar not null,
    subject_id varchar not null,
    origin varchar not null,
    scope_id varchar not null,
    resource_kind varchar,
    operation varchar not null,
    object_id varchar,
    object_name varchar,
    valid_from timestamp,
    valid_to timestamp,
    granted_by_user_id bigint,
    granted_by_user_email varchar,
    granted_event_key uuid,
    revoked_by_user_id bigint,
    revoked_by_user_email varchar,
    revoked_event_key uuid,
    is_ended_with_owner boolean not null
);

-- One row per user and day on which they did something.
create table active_day_rows (
    source varchar not null,
    user_id bigint not null,
    event_date date not null,
    first_event_time timestamp not null,
    last_event_time timestamp not null,
    events bigint not null
);

-- One row per user, e-mail, address and database that events name.
create table sighting_rows (
    source varchar not null,
    subject_kind varchar not null,
    subject varchar not null,
    first_seen_at timestamp not null,
    last_seen_at timestamp not null,
    events bigint not null
);

-- Reads whose events are not in these tables yet: added with the events, deleted after the refresh.
create table fold_due (
    read_id varchar not null,
    first_event_time timestamp not null,
    last_event_time timestamp not null,
    events bigint not null
);

-- Hash of the SQL that filled these tables; no row before the first time.
create table derived_versions (
    derived_version varchar not null
);
