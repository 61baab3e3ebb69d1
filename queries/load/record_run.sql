-- The row of a run is written anew with the windows of each transaction, and at the end of the run.
delete from ingest_runs where run_id = $run_id;

insert into ingest_runs (
    run_id, source, command, started_at, finished_at, range_start, range_end, outcome,
    windows, pages, fetched, inserted, duplicate, quarantined, vanished, requests, retries, bytes,
    catalog_version, tool_version, error
)
values (
    $run_id, $source, $command, $started_at::timestamp, $finished_at::timestamp, $range_start::timestamp,
    $range_end::timestamp, $outcome,
    $windows, $pages, $fetched, $inserted, $duplicate, $quarantined, $vanished, $requests, $retries, $bytes,
    $catalog_version, $tool_version, $error
);
