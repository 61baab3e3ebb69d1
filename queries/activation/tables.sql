-- What one activation remembers: the rows as the destination has them (previous_rows, made when first needed), and what
-- they were compared by. It also remembers its runs, the delivery that is under way, and the rows that did not arrive.
create table if not exists state.activation_keys (id_key varchar not null, delta_keys varchar[] not null);

alter table state.activation_keys add column if not exists id_type varchar;

create table if not exists state.activation_runs (
    run_id varchar not null,
    activation varchar not null,
    number bigint not null,
    started_at timestamp not null,
    finished_at timestamp not null,
    outcome varchar not null,
    all_new_because varchar,
    rows_read bigint not null,
    rows_new bigint not null,
    rows_updated bigint not null,
    rows_deleted bigint not null,
    rows_unchanged bigint not null,
    accepted bigint not null,
    refused bigint not null,
    doubtful bigint not null,
    error varchar
);

-- The number of the last delivery that came to its end.
create table if not exists state.last_number (number bigint not null);

-- At most one: its rows are in incoming and begun_rows.
create table if not exists state.begun (
    number bigint not null,
    began_at timestamp not null,
    due_at timestamp,
    id_key varchar not null,
    id_type varchar not null,
    delta_keys varchar[] not null,
    all_new_because varchar,
    mapped varchar[] not null
);

-- A row is identified by id, class and content: new content is a new attempt.
create table if not exists state.refused_rows (
    delta_id varchar not null,
    delta_status varchar not null,
    delta_hash varchar not null,
    delivery varchar not null,
    state varchar not null,
    -- Whether what the destination is said to have of it perhaps never arrived there.
    is_doubtful boolean not null,
    reason varchar not null,
    first_tried_at timestamp not null,
    last_tried_at timestamp not null,
    tries bigint not null
);

-- Where the rows of each class went last: by a digest, and by what a person calls it.
create table if not exists state.places (delta_status varchar not null, place varchar not null);
