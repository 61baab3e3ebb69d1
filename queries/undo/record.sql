insert into undone_reads (read_id, run_id, source, undone_at)
select $read_id as read_id, $run_id as run_id, $source as source, $undone_at::timestamp as undone_at
where not exists (select 1 from undone_reads where read_id = $read_id);
