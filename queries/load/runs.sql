-- name: record
-- The row of a run is rewritten with the windows of each transaction, and at the end of the run.
delete from ingest_runs where run_id = $run_id;

insert into ingest_runs (
    run_id, source, command, started_at, finished_at, range_start, range_end, outcome,
    windows, pages, fetched, inserted, duplicate, quarantined, vanished, requests, retries, bytes,
    catalog_version, tool_version, error
)
values (
    $run_id, $source, $command, $started_at::timestamp, $finished_at::timestamp, $range_start::timestamp,
    $range_end::timestamp, $outcome,
    $windows, $pages, $fetched, $inserted, $duplicate, $quarantined, $vanished, $requests, $retries, $bytes,
    $catalog_version, $tool_version, $error
);

-- name: stored
-- A run as it was stored last; times as text, as they came in.
select
    run_id, source, command, outcome, catalog_version, tool_version, error,
    windows, pages, fetched, inserted, duplicate, quarantined, vanished, requests, retries, bytes,
    cast(started_at as varchar) as started_at,
    cast(finished_at as varchar) as finished_at,
    cast(range_start as varchar) as range_start,
    cast(range_end as varchar) as range_end
from ingest_runs
where run_id = $run_id;

-- name: end_abandoned
-- A run recorded as running was killed if another run holds the lock.
update ingest_runs
set outcome = 'interrupted', error = 'its process ended before the run did'
where outcome = 'running';

-- name: dated_ahead
-- Runs of a source with reads that are dated after a moment, each with the range of their windows.
select
    run_id,
    cast(min(window_start) as varchar) as range_start,
    cast(max(window_end) as varchar) as range_end
from window_reads
where source = $source
  and window_start is not null
  and not is_mark
  and claimed_at is null
  and read_at > make_timestamp($now_ms::bigint * 1000)
group by run_id
order by run_id;

-- name: void
-- Makes the reads of a run count for nothing, those to come as well. The intervals that it gave up are due again.
insert into runs_dated_ahead (source, run_id, found_at)
select $source as source, $run_id as run_id, $found_at::timestamp as found_at
where not exists (select 1 from runs_dated_ahead where source = $source and run_id = $run_id);

delete from window_reads
where source = $source and run_id = $run_id and is_mark and state = 'gap';

update window_reads
set claimed_at = read_at, read_at = least(window_start, $found_at::timestamp), state = 'open', reason = null, evidence = [], neutral = true
where source = $source and run_id = $run_id and not is_mark and window_start is not null and claimed_at is null;

update checkpoints
set finalized_until = least(finalized_until, $start::timestamp)
where source = $source;

-- name: unlike
-- How many records a run took for known although their unknown fields differ.
select coalesce(sum(unlike), 0) as unlike
from window_reads
where run_id = $run_id and not is_mark;

-- name: conflicts
-- How many events a run brought, and how many of them share their id with another event of the days it brought.
with
brought as (
    select event_key, id, event_date
    from event_rows
    where run_id = $run_id
),
days as (
    select min(event_date) as first_date, max(event_date) as last_date from brought
),
held as (
    select e.id, count(*) as events
    from event_rows as e
    cross join days as d
    where e.source = $source
      and e.event_date between d.first_date and d.last_date
      and e.id in (select id from brought)
    group by e.id
    having count(*) > 1
)
select
    count(*) as inserted,
    count(*) filter (where id in (select h.id from held as h)) as conflicts
from brought;

-- name: late_arriving
-- Events of a run outside its requested windows, in time that counts as final.
with
reads as (
    select read_id, window_start, window_end
    from window_reads
    where run_id = $run_id and outside > 0 and inserted > 0
)
select
    count(*) as events,
    epoch_ms(min(e.event_time)) as first_ms,
    epoch_ms(max(e.event_time)) as last_ms
from event_rows as e
inner join reads as r on r.read_id = e.read_id
where e.event_time >= make_timestamp($from_ms::bigint * 1000)
  and e.event_time < make_timestamp($to_ms::bigint * 1000)
  and (e.event_time < r.window_start or e.event_time >= r.window_end);
