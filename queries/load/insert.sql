-- Everything the files hold goes in here; what was there already is taken out again by the statements that follow, in
-- the same transaction.
insert into event_rows by name
select * from normalised($files, $record_bytes, $source, $run_id, $read_id, $seen_at, $window_ms);
