-- Copies runs of deliveries from the home's own record; existing rows stay unchanged. A line truncated by a power
-- failure is ignored.
insert into delivery_runs (
    run_id, verb, name, target, connector, delivery, due_at, started_at, finished_at,
    outcome, exit_code, rows_read, accepted, refused, doubtful, error
)
select
    own.run_id, own.verb, own.name, own.target, own.connector, own.delivery,
    own.due_at, own.started_at, own.finished_at,
    own.outcome, own.exit_code, own.rows_read, own.accepted, own.refused, own.doubtful, own.error
from read_json(
    $path,
    format = 'newline_delimited',
    ignore_errors = true,
    hive_partitioning = false,
    columns = {
        run_id: 'varchar', verb: 'varchar', name: 'varchar', target: 'varchar', connector: 'varchar',
        delivery: 'varchar', due_at: 'timestamp', started_at: 'timestamp', finished_at: 'timestamp',
        outcome: 'varchar', exit_code: 'integer', rows_read: 'bigint', accepted: 'bigint', refused: 'bigint',
        doubtful: 'bigint', error: 'varchar'
    }
) as own
left join delivery_runs as known on known.run_id = own.run_id
where known.run_id is null and own.run_id is not null and own.finished_at is not null
order by own.started_at, own.run_id;
