-- name: import
-- The loaded import that a read or a run names.
select read_id, run_id, source
from window_reads
where window_start is null and not is_mark and (read_id = $name or run_id = $name)
order by read_id;

-- name: last_imports
-- The imports that were loaded last.
select read_id
from window_reads
where window_start is null and not is_mark
order by read_at desc, read_id desc
limit 3;

-- name: ledger
-- The reads that were taken back.
select read_id
from undone_reads
order by read_id;

-- name: others
-- Other reads of the source that may have shown events of an import, in order: reads with repeated events and an
-- overlapping time.
with
brought as (
    select min(event_time) as first_time, max(event_time) as last_time, count(*) as events
    from event_rows
    where read_id = $read_id
),
refused as (
    select count(*) as records
    from quarantine as q
    inner join window_reads as r on r.run_id = q.run_id
    where r.read_id = $read_id
)
select r.read_id
from window_reads as r
inner join window_reads as u on u.read_id = $read_id and u.source = r.source
cross join brought as b
cross join refused as f
where r.read_id <> $read_id
  and not r.is_mark
  and (
      (f.records > 0 and r.quarantined > 0)
      or (
          r.duplicate > 0
          and b.events > 0
          and (
              r.window_start is null
              or r.outside > 0
              or (r.window_start <= b.last_time and r.window_end > b.first_time)
          )
      )
  )
order by r.read_at, r.read_id;

-- name: counts
-- What an import brought, how much of it another read has shown, too, and what it alone left in the quarantine.
select
    (select count(*) from undone_keys) as events,
    (select count(*) from undone_keys as u semi join event_rows as e on e.event_key = u.event_key and e.source = $source) as kept,
    (
        select count(*) from undone_quarantine as u anti join quarantine as q on q.quarantine_key = u.quarantine_key
    ) as quarantined;
