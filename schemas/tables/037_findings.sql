-- Time ranges of new data, one row per read or other change; detections are evaluated over each once.
create table known_changes (
    change_id bigint not null,
    first_time timestamp not null,
    last_time timestamp not null
);

-- What each detection has been evaluated by, and up to which change.
create table detection_states (
    detection varchar not null,
    fingerprint varchar not null,
    evaluated_change bigint not null
);

create table detection_hits (
    detection varchar not null,
    source varchar not null,
    key varchar not null,
    hit_time timestamp not null,
    event_keys varchar[] not null,
    subject varchar not null,
    measures varchar not null,
    message varchar not null,
    next varchar
);

create table finding_rows (
    finding_id varchar not null,
    detection varchar not null,
    severity varchar not null,
    title varchar not null,
    message varchar not null,
    source varchar not null,
    subject_kind varchar not null,
    subject varchar not null,
    key varchar not null,
    first_at timestamp not null,
    last_at timestamp not null,
    hits bigint not null,
    measures varchar not null,
    state varchar not null,
    state_reason varchar,
    closed_as varchar,
    suppressed_by varchar,
    raised_at timestamp not null,
    run_id varchar not null,
    notified_at timestamp,
    attack varchar not null,
    next varchar,
    runbook varchar
);

create table finding_events (
    finding_id varchar not null,
    event_key varchar not null,
    event_time timestamp not null
);

create table detection_runs (
    run_id varchar not null,
    detection varchar not null,
    evaluated_from timestamp,
    evaluated_to timestamp,
    hits bigint not null,
    known_hits bigint not null,
    new_findings bigint not null,
    milliseconds bigint not null,
    outcome varchar not null,
    error varchar
);

-- Decisions name a finding by its key and times, since an earlier hit that arrives late changes its id.
create table decision_rows (
    decision_id varchar not null,
    decided_at timestamp not null,
    decided_by varchar not null,
    decision varchar not null,
    detection varchar not null,
    source varchar,
    key varchar,
    first_at timestamp,
    last_at timestamp,
    finding_id varchar,
    closed_as varchar,
    conditions varchar,
    suppressed_until timestamp,
    reason varchar
);

-- Existing events count as one change.
insert into known_changes (change_id, first_time, last_time)
select 1 as change_id, min(event_time) as first_time, max(event_time) as last_time
from event_rows
having count(*) > 0;
