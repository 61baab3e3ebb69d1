insert into state.activation_runs (
    run_id, activation, number, started_at, finished_at, outcome, all_new_because,
    rows_read, rows_new, rows_updated, rows_deleted, rows_unchanged, accepted, refused, doubtful, error
)
values (
    $run_id, $activation, $number, cast($started_at as timestamp), cast($finished_at as timestamp),
    $outcome, $all_new_because,
    $rows_read, $rows_new, $rows_updated, $rows_deleted, $rows_unchanged, $accepted, $refused, $doubtful, $error
);
