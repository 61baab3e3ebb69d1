insert into window_reads (
    read_id, run_id, source, window_start, window_end, read_at, server_time, state,
    pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest,
    reason, evidence, signs, neutral, parts, form, next_followed, half_asked, smallest_followed, note, is_mark
)
select
    $mark_id, $run_id, $source, $start::timestamp, $end::timestamp, $marked_at::timestamp,
    null, $state,
    0, 0, 0, 0, 0, 0, 0, '',
    null, [], [], true, 1, null, false, false, null, $note, true
where $state = 'accepted'
   or not exists (select 1 from runs_dated_ahead where source = $source and run_id = $run_id);
