-- A user list as it was read, before it is judged.
create or replace temp table incoming_users (
    user_id bigint,
    email varchar,
    name varchar,
    first_name varchar,
    last_name varchar,
    phone varchar,
    created_at varchar,
    updated_at varchar,
    administrator boolean,
    account_owner boolean,
    extra varchar
);
