-- Takes an import out of the ledger; its run stays, with nothing of it.
update ingest_runs
set windows = 0, pages = 0, fetched = 0, inserted = 0, duplicate = 0, quarantined = 0
where run_id = (select run_id from window_reads where read_id = $read_id);

delete from ingest_pages
where read_id = $read_id;

delete from window_reads
where read_id = $read_id;

delete from fold_due
where read_id = $read_id;
