-- name: begin
delete from state.begun;
insert into state.begun (number, began_at, due_at, id_key, id_type, delta_keys, all_new_because, mapped)
values (
    $number, cast($began_at as timestamp), cast($due_at as timestamp),
    $id_key, $id_type, $delta_keys, $all_new_because, $mapped
);

-- name: started
select
    number,
    strftime(began_at, '%Y-%m-%dT%H:%M:%S.%gZ') as began_at,
    strftime(due_at, '%Y-%m-%dT%H:%M:%S.%gZ') as due_at,
    id_key,
    id_type,
    delta_keys,
    all_new_because,
    mapped
from state.begun;

-- name: forget
-- Deletes a delivery without sent rows.
delete from state.begun;
drop table if exists state.begun_rows;
drop table if exists state.incoming;

-- name: outcomes
-- Outcomes of failed rows of one class, by their numbers.
with
given as (
    select
        unnest($rows) as class_row,
        unnest($reasons) as reason
)
update state.begun_rows as each
set state = $state, reason = given.reason
from given
where each.delta_status = $delta_status and each.class_row = given.class_row;

-- name: dropped
-- Failed rows that are not retried: deleted at the source, or changed since.
select
    count(*) filter (where now_there.delta_id is null) as gone,
    count(*) filter (where now_there.delta_id is not null) as changed
from state.refused_rows as refused
left join state.incoming as now_there on now_there.delta_id = refused.delta_id
where
    refused.state <> 'given_up'
    and not exists (
        select 1
        from state.begun_rows as each
        where
            each.delta_id = refused.delta_id
            and each.delta_status = refused.delta_status
            and cast(each.delta_hash as uhugeint) = cast(refused.delta_hash as uhugeint)
    );

-- name: refused
-- Rows that did not arrive, the first of them.
select
    delta_id as id,
    delta_status as status,
    state,
    reason
from state.refused_rows
where delivery = $delivery and state <> 'given_up'
order by delta_status, delta_id
limit 5;

-- name: give_up
update state.refused_rows
set state = 'given_up'
where state <> 'given_up';

-- name: reset_refused
delete from state.refused_rows;

-- name: record
insert into state.activation_runs (
    run_id, activation, number, started_at, finished_at, outcome, all_new_because,
    rows_read, rows_new, rows_updated, rows_deleted, rows_unchanged, accepted, refused, doubtful, error
)
values (
    $run_id, $activation, $number, cast($started_at as timestamp), cast($finished_at as timestamp),
    $outcome, $all_new_because,
    $rows_read, $rows_new, $rows_updated, $rows_deleted, $rows_unchanged, $accepted, $refused, $doubtful, $error
);

-- name: bring
-- Copies runs of an activation from its file into the warehouse; existing rows stay unchanged.
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
