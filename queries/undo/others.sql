-- The other reads of the source that may have shown what an import brought, in their order: those that repeated
-- something, and whose time meets that of its events.
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
