-- One row per run of an export or an activation that came as far as its target; brought here from deliveries/runs.ndjson
-- of the home by the next run that writes.
create table delivery_runs (
    run_id varchar not null,
    verb varchar not null,
    name varchar not null,
    target varchar not null,
    connector varchar not null,
    delivery varchar,
    due_at timestamp,
    started_at timestamp not null,
    finished_at timestamp not null,
    outcome varchar not null,
    exit_code integer not null,
    rows_read bigint not null,
    accepted bigint not null,
    refused bigint not null,
    doubtful bigint not null,
    error varchar
);
