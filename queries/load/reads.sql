-- name: newest
-- When a source was last read, by the clock of the machine that read it. Files do not count.
select epoch_ms(max(read_at)) as newest_ms
from window_reads
where source = $source and window_start is not null and not is_mark;

-- name: traits
-- What earlier requests of one form have shown of a source.
select
    coalesce(bool_or(next_followed), false) as is_next_seen,
    min(smallest_followed) as smallest_followed,
    coalesce(bool_or(fetched > 0), false) as has_given,
    coalesce(bool_or(half_asked), false) as is_half_asked
from window_reads
where source = $source
  and form = $form
  and ($read_id is null or (read_at, read_id) < ($seen_at::timestamp, $read_id));

-- name: arrived_since
-- How many events of a window came after a read of it, by whatever read.
select count(*) as events
from event_rows
where source = $source
  and event_time >= $window_start::timestamp
  and event_time < $window_end::timestamp
  and read_id not in (select r.read_id from window_reads as r where r.source = $source and r.claimed_at is not null)
  and (first_seen_at, read_id) > ($before_seen_at::timestamp, $before_read_id);

-- name: with_page
-- Earlier reads that hold a page.
select distinct read_id
from ingest_pages
where sha256 = $page_hash and source = $source and read_id <> $read_id
order by read_id;

-- name: pages
-- The pages of a read as they were counted.
select page, sha256, bytes, fetched, quarantined
from ingest_pages
where read_id = $read_id
order by page;

-- name: same
-- Earlier reads of the same window, or of files, with as many pages and the same first one, newest first. Nothing of
-- them has to be looked at again: the store holds all that they showed. Nothing of it waits any more, and nothing was
-- pruned since.
with
alike as (
    select
        read_id, source, read_at, pages, window_start, window_end, digest, outside, doubtful, vanished, unshown,
        -- What waited came in with a later read that showed as much of each event.
        bool_or(withheld = 0) over (
            partition by digest order by read_at desc, read_id desc
            rows between unbounded preceding and current row
        ) as is_stored
    from window_reads
    where source = $source
      and read_id <> $read_id
      and window_start is not distinct from $window_start::timestamp
      and window_end is not distinct from $window_end::timestamp
      and not is_mark
      and not neutral
      -- What speaks against that one alone was seen by loading it.
      and not list_contains(signs, 'repeated_page')
)
select a.read_id, cast(a.read_at as varchar) as read_at, a.digest, a.outside, a.doubtful, a.vanished,
    cast(to_json(coalesce(a.unshown, [])) as varchar) as unshown
from alike as a
where a.pages = $pages
  and a.is_stored
  and exists (
      select 1 from ingest_pages as p where p.read_id = a.read_id and p.page = 0 and p.sha256 = $first_page
  )
  and not exists (
      select 1
      from prunes as p
      where p.with_events and p.pruned_at >= a.read_at and (p.source is null or p.source = a.source)
  )
order by a.read_at desc, a.read_id desc;

-- name: record
insert into window_reads (
    read_id, run_id, source, window_start, window_end, read_at, server_time, state,
    pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest,
    reason, evidence, signs, neutral, parts, form, next_followed, half_asked, smallest_followed, note, is_mark,
    doubtful, withheld, unlike, unshown, claimed_at, leaf_index
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
    case when a.is_ahead then $seen_at::timestamp end, $leaf_index
-- A rebuild loads the reads of a run whose clock was ahead after that was found out.
from (
    select max(found_at) as found_at, count(*) > 0 and $window_start::timestamp is not null as is_ahead
    from runs_dated_ahead
    where source = $source and run_id = $run_id
) as a;
