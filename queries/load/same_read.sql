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
