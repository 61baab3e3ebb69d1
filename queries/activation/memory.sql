-- name: known_tables
select
    table_schema,
    table_name
from information_schema.tables
where table_catalog = current_database()
order by
    table_schema,
    table_name;

-- name: held
-- Tables of an activation's file. A file from a killed run can be incomplete.
select table_name
from duckdb_tables()
where database_name = 'state'
order by table_name;

-- name: keys
select
    (select max(id_key) from state.activation_keys) as id_key,
    (select max(delta_keys) from state.activation_keys) as delta_keys,
    (select max(id_type) from state.activation_keys) as id_type,
    (select count(*) from duckdb_tables() where database_name = 'state' and table_name = 'previous_rows') as has_rows,
    coalesce(
        (select max(number) from state.last_number),
        (select count(*) from state.activation_runs where outcome = 'delivered')
    ) as last_number;

-- name: state
-- What an activation remembers of itself, in one row.
select
    (select count(*) from state.previous_rows) as remembered,
    (select max(number) from state.begun) as under_way,
    (select strftime(max(finished_at), '%Y-%m-%dT%H:%M:%SZ') from state.activation_runs) as last_run,
    (select max_by(outcome, (finished_at, run_id)) from state.activation_runs) as last_outcome,
    (select count(*) from state.refused_rows where state = 'refused') as refused,
    (select count(*) from state.refused_rows where state = 'uncertain') as uncertain,
    (select count(*) from state.refused_rows where state = 'given_up') as given_up;

-- name: remember
-- What the destination has now is what the next run is compared with.
drop table state.previous_rows;
alter table state.next_rows rename to previous_rows;
drop table state.incoming;
drop table state.begun_rows;
delete from state.begun;
delete from state.last_number;
insert into state.last_number (number)
values ($number);
delete from state.activation_keys;
insert into state.activation_keys (id_key, delta_keys, id_type)
values ($id_key, $delta_keys, $id_type);

-- name: keep_place
-- Where the rows of a class went.
delete from state.places
where delta_status = $delta_status;
insert into state.places (delta_status, place)
values ($delta_status, $place);

-- name: places
-- Where the rows of each class went in the last run that came to its end.
select delta_status, place
from state.places
order by delta_status, place;
