-- What an activation remembers of itself, in one row.
select
    (select count(*) from state.previous_rows) as remembered,
    (select max(number) from state.begun) as under_way,
    (select strftime(max(finished_at), '%Y-%m-%dT%H:%M:%SZ') from state.activation_runs) as last_run,
    (select max_by(outcome, (finished_at, run_id)) from state.activation_runs) as last_outcome,
    (select count(*) from state.refused_rows where state = 'refused') as refused,
    (select count(*) from state.refused_rows where state = 'uncertain') as uncertain,
    (select count(*) from state.refused_rows where state = 'given_up') as given_up;
