-- One row per run of an incremental activation; brought here from the activation's own file after it ended.
create table activation_runs (
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
