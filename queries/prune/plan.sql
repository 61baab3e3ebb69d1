-- name: reads
-- The loaded reads that are older than a moment. A window is as old as its end. A file is as old as the latest event
-- that it brought or, where it brought none, as the moment it was read.
with
brought as (
    select read_id, max(event_time) as last_event_time
    from event_rows
    group by read_id
)
select r.read_id
from window_reads as r
left join brought as b on b.read_id = r.read_id
where coalesce(r.window_end, b.last_event_time, r.read_at) <= $before::timestamp
  and not r.is_mark
  and ($source is null or r.source = $source)
order by r.read_at, r.read_id;

-- name: repeating_files
-- Files with events that other reads brought: their own events do not show how old the files are.
select read_id
from window_reads
where window_start is null and not is_mark and duplicate > 0
  and ($source is null or source = $source)
order by read_id;

-- name: read_sources
-- Sources that were read from a service and that the next scheduled run reads again.
select distinct source
from ingest_runs
where command in ('ingest', 'backfill') and ($source is null or source = $source)
order by source;

-- name: old_quarantine
-- Quarantined records have no time that could be read: each is as old as the newest read that its page came with. A
-- read is as old as the end of its window. One of a file is as old as the latest event that it brought or, without any,
-- as the moment it was read.
create or replace temp table old_quarantine as
with
brought as (
    select read_id, max(event_time) as last_event_time
    from event_rows
    group by read_id
),
pages as (
    select p.source, p.sha256, max(coalesce(r.window_end, b.last_event_time, r.read_at)) as until
    from ingest_pages as p
    inner join window_reads as r on r.read_id = p.read_id
    left join brought as b on b.read_id = p.read_id
    group by p.source, p.sha256
)
select q.quarantine_key
from quarantine as q
left join pages as p on p.source = q.source and p.sha256 = q.sha256
where coalesce(p.until, q.first_seen_at) <= $before::timestamp
  and ($source is null or q.source = $source);

-- name: kept_none
-- Nothing of a time stays.
create or replace temp table kept_events as
select e.event_key
from event_rows as e
where false;

-- name: kept_there
-- Events that stay in a rebuilt database: those that the attached database has.
create or replace temp table kept_events as
select e.event_key
from old.event_rows as e;

-- name: kept_here
-- Events of a range that stay because derived tables need them while a lake has the rest: events about rights, repeated
-- ids, and jobs that have or can have later events. A job without an end is retained for 30 days.
create or replace temp table kept_events as
with
going_on as (
    select source, job_id
    from job_rows
    where list_min(event_dates) <= cast($before::timestamp as date)
      and (
          list_max(event_dates) >= cast($before::timestamp as date)
          or finished_at is null and list_max(event_dates) >= cast($before::timestamp as date) - 30
      )
)
select a.event_key
from access_event_rows as a
union
select e.event_key
from event_rows as e
semi join id_conflict_rows as i on i.source = e.source and i.id = e.id
where e.event_time < $before::timestamp
union
select e.event_key
from event_rows as e
inner join catalog_entries as c on c.entry_id = e.entry_id
semi join going_on as g on g.source = e.source and g.job_id = job_id_of(e.resource_id, e.resource_name)
where e.event_time < $before::timestamp
  and is_job_event(c.event_name);

-- name: going_days
-- Days of a range with events to delete, if events that derived tables need stay.
select distinct cast(event_date as varchar) as day
from event_rows
where event_time < $before::timestamp and ($source is null or source = $source)
  and event_key not in (select k.event_key from kept_events as k)
order by day;

-- name: totals
-- How much of that time goes, and which reads have some of it in their pages.
with
old as (
    select
        read_id,
        count(*) filter (where event_key not in (select k.event_key from kept_events as k)) as events
    from event_rows
    where event_time < $before::timestamp and ($source is null or source = $source)
    group by read_id
)
select
    (select coalesce(sum(events), 0)::bigint from old) as events,
    (select count(*) from old_quarantine) as quarantined,
    (select coalesce(list(read_id order by read_id), []) from old) as read_ids;
