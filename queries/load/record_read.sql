insert into window_reads (
    read_id, run_id, source, window_start, window_end, read_at, server_time, state,
    pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest,
    reason, evidence, signs, neutral, parts, form, next_followed, half_asked, smallest_followed, note, is_mark,
    doubtful, withheld, unlike, unshown
)
values (
    $read_id, $run_id, $source, $window_start::timestamp, $window_end::timestamp, $seen_at::timestamp,
    $server_time::timestamp, $state,
    $pages, $fetched, $inserted, $duplicate, $quarantined, $vanished, $outside, $digest,
    $reason, from_json($evidence::json, '["varchar"]'), from_json($signs::json, '["varchar"]'), $neutral, $parts, $form,
    $next_followed, $half_asked, $smallest_followed, $note, false,
    $ambiguous, $withheld, $unlike, from_json($unshown::json, '["uuid"]')
);

-- A rebuild loads the reads of a run whose clock was ahead after that was found out.
update window_reads as r
set
    claimed_at = r.read_at, read_at = least(r.window_start, a.found_at),
    state = 'open', reason = null, evidence = [], neutral = true
from runs_dated_ahead as a
where r.read_id = $read_id
  and r.window_start is not null
  and a.source = r.source
  and a.run_id = r.run_id;
