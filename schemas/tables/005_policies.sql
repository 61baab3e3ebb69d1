-- One row per policy and reading: `present` with its number of permissions, or `gone` if the service knew no such
-- policy (seed 000, Endpoints).
create table policy_snapshots (
    snapshot_id varchar not null,
    source varchar not null,
    policy_id varchar not null,
    read_at timestamp not null,
    state varchar not null,
    permissions bigint not null
);

-- Permissions of policies over time, [valid_from, valid_to): valid_from is the first reading with the permission,
-- valid_to the first one without it, null while it is in force.
create table policy_permission_rows (
    source varchar not null,
    policy_id varchar not null,
    resource_kind varchar not null,
    operation varchar,
    object_id varchar,
    object_name varchar,
    details json,
    valid_from timestamp not null,
    valid_to timestamp,
    last_seen_at timestamp not null,
    snapshot_id varchar not null
);
