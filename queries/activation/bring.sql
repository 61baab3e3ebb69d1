-- Runs of an activation, from its own file into the warehouse; those that are there already stay as they are.
insert into activation_runs (
    run_id, activation, number, started_at, finished_at, outcome, all_new_because,
    rows_read, rows_new, rows_updated, rows_deleted, rows_unchanged, accepted, refused, doubtful, error
)
select
    own.run_id, own.activation, own.number, own.started_at, own.finished_at, own.outcome, own.all_new_because,
    own.rows_read, own.rows_new, own.rows_updated, own.rows_deleted, own.rows_unchanged,
    own.accepted, own.refused, own.doubtful, own.error
from state.activation_runs as own
left join activation_runs as known on known.run_id = own.run_id
where known.run_id is null
order by own.started_at, own.run_id;
