-- Makes the reads of a run count for nothing, those to come as well. The intervals that it gave up are due again.
insert into runs_dated_ahead (source, run_id, found_at)
select $source as source, $run_id as run_id, $found_at::timestamp as found_at
where not exists (select 1 from runs_dated_ahead where source = $source and run_id = $run_id);

delete from window_reads
where source = $source and run_id = $run_id and is_mark and state = 'gap';

update window_reads
set claimed_at = read_at, read_at = least(window_start, $found_at::timestamp), state = 'open', reason = null, evidence = [], neutral = true
where source = $source and run_id = $run_id and not is_mark and window_start is not null and claimed_at is null;

update checkpoints
set finalized_until = least(finalized_until, $start::timestamp)
where source = $source;
