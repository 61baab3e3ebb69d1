-- The newest earlier read of the same window, or of a file, that began with the same page and after which nothing has
-- to be looked at again: the store holds all that it showed, since it has lacked nothing, kept nothing back, and nothing
-- was pruned since.
select r.read_id, cast(r.read_at as varchar) as read_at, r.digest, r.outside
from window_reads as r
where r.source = $source
  and r.read_id <> $read_id
  and r.window_start is not distinct from $window_start::timestamp
  and r.window_end is not distinct from $window_end::timestamp
  and not r.is_mark
  and r.vanished = 0
  and r.unsure = 0
  and exists (
      select 1 from ingest_pages as p where p.read_id = r.read_id and p.page = 0 and p.sha256 = $first_page
  )
  and not exists (
      select 1
      from prunes as p
      where p.with_events and p.pruned_at >= r.read_at and (p.source is null or p.source = r.source)
  )
order by r.read_at desc, r.read_id desc
limit 1;
