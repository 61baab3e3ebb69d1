insert into window_reads (
    read_id, run_id, source, window_start, window_end, read_at, server_time, state,
    pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest,
    reason, evidence, signs, neutral, parts, form, next_followed, half_asked, smallest_followed, note, is_mark,
    doubtful, withheld, unlike, unshown, claimed_at
)
select
    $read_id, $run_id, $source, $window_start::timestamp, $window_end::timestamp,
    case when a.is_ahead then least($window_start::timestamp, a.found_at) else $seen_at::timestamp end,
    $server_time::timestamp,
    case when a.is_ahead then 'open' else $state end,
    $pages, $fetched, $inserted, $duplicate, $quarantined, $vanished, $outside, $digest,
    case when a.is_ahead then null else $reason end,
    case when a.is_ahead then [] else from_json($evidence::json, '["varchar"]') end,
    from_json($signs::json, '["varchar"]'), $neutral or a.is_ahead, $parts, $form,
    $next_followed, $half_asked, $smallest_followed, $note, false,
    $ambiguous, $withheld, $unlike, from_json($unshown::json, '["uuid"]'),
    case when a.is_ahead then $seen_at::timestamp end
-- A rebuild loads the reads of a run whose clock was ahead after that was found out.
from (
    select max(found_at) as found_at, count(*) > 0 and $window_start::timestamp is not null as is_ahead
    from runs_dated_ahead
    where source = $source and run_id = $run_id
) as a;
