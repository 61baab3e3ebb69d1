-- name: reads
-- The reads that a database of version 1 holds, each with its moment as a manifest writes it.
select read_id, strftime(read_at, '%Y-%m-%d %H:%M:%S.%g') as read_at
from window_reads
order by read_id;

-- name: prune_tables
-- Whether a database of version 1 is young enough to know of prunes.
select count(*) as tables
from duckdb_tables()
where table_name in ('prunes', 'pruned_reads');

-- name: prunes
-- The prunes that a database of version 1 knows of, with the reads of each; none of them kept anything for a lake.
select
    p.prune_id,
    cast(p.pruned_at as varchar) as pruned_at,
    cast(p.before_time as varchar) as before_time,
    p.source, p.with_events, false as keeps_folds, p.events, p.quarantined,
    (select coalesce(list(r.read_id order by r.read_id), []) from pruned_reads as r where r.prune_id = p.prune_id) as read_ids
from prunes as p
order by p.pruned_at, p.prune_id;

-- name: pages
-- The pages of a read that a database of version 1 holds.
select page, sha256, bytes
from old.ingest_pages
where read_id = $read_id
order by page;

-- name: records
-- The records of a page of a read, one to a line. Their order means nothing: which record of its page an event was is
-- not kept.
select r.record
from old.records as r
where r.read_id = $read_id
  and r.page = $page
  and r.row_id not in (select m.row_id from moved as m)
union all
select r.record
from moved as m
inner join old.records as r on r.row_id = m.row_id
where m.read_id = $read_id and m.page = $page;
