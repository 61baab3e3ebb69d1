-- How late events came: how long after the first read that should have shown them, since it came after their window
-- had closed. Such a read is complete and of an earlier run, and its requests were of the same form: what another read of
-- the run, or one with other paging settings, shows in addition was cut off before. What a first read, a backfill or an
-- imported file brings is old, not late. Of equal records without an id on different pages some wait for a later read,
-- which then brings what the first one had shown.
with
reads_of_stretches as (
    select
        s.stretch_start, s.stretch_end, coalesce(r.form, '') as form,
        min(r.read_at) as first_closed_at,
        arg_min(r.run_id, (r.read_at, r.read_id)) as first_run,
        min(r.read_at) filter (where coalesce(r.withheld, 0) = 0) as first_whole_at
    from read_stretches as s
    inner join window_reads as r
        on r.source = s.source and r.window_start <= s.stretch_start and r.window_end >= s.stretch_end
    where s.source = $source and s.reads > 1 and r.state <> 'open' and not r.is_mark
      and not r.neutral and len(r.signs) = 0
    group by s.stretch_start, s.stretch_end, coalesce(r.form, '')
),
scheduled as (
    select run_id from ingest_runs where command = 'ingest'
),
-- Days of events with the moments at which they came in: few, whatever the number of events.
arrivals as (
    select e.event_date, e.first_seen_at
    from event_rows as e
    where e.source = $source
      and e.run_id in (select run_id from scheduled)
    group by e.event_date, e.first_seen_at
),
busy as (
    select distinct a.event_date, a.first_seen_at
    from arrivals as a
    inner join reads_of_stretches as s
        on s.stretch_start < a.event_date + interval 1 day and s.stretch_end > a.event_date
        and s.first_closed_at < a.first_seen_at
),
candidates as (
    select e.event_name, e.event_time, e.first_seen_at, e.id, e.run_id, coalesce(r.form, '') as form
    from event_rows as e
    inner join busy as d on d.event_date = e.event_date and d.first_seen_at = e.first_seen_at
    inner join window_reads as r on r.read_id = e.read_id and not r.neutral
    where e.source = $source
      and e.run_id in (select run_id from scheduled)
),
late as (
    select c.event_name, date_diff('second', s.first_closed_at, c.first_seen_at) as late_seconds
    from candidates as c
    asof join reads_of_stretches as s on s.form = c.form and c.event_time >= s.stretch_start
    where c.event_time < s.stretch_end
      and c.run_id <> s.first_run
      and c.first_seen_at > case when c.id is null then s.first_whole_at else s.first_closed_at end
)
select
    event_name,
    count(*) as late_events,
    round(quantile_cont(late_seconds, 0.5))::bigint as median_seconds,
    round(quantile_cont(late_seconds, 0.99))::bigint as p99_seconds,
    max(late_seconds) as max_seconds
from late
group by event_name
order by max_seconds desc, event_name;
