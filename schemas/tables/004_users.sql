-- The user directory over time: one row per user and version, valid_to null for the version in force.
create table user_history (
    source varchar not null,
    user_id bigint not null,
    email varchar,
    name varchar,
    first_name varchar,
    last_name varchar,
    phone varchar,
    administrator boolean,
    account_owner boolean,
    created_at varchar,
    updated_at varchar,
    extra json,
    valid_from timestamp not null,
    valid_to timestamp
);
