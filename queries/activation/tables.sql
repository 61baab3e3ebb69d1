-- What one activation remembers: the rows of its last run (previous_rows, made when it is first needed), what
-- they were compared by, and its runs.
create table if not exists state.activation_keys (id_key varchar not null, delta_keys varchar[] not null);

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
