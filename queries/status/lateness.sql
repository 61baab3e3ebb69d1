-- How late events came: how long after its time an event was first seen. Only those count that an earlier read,
-- begun when they had settled, should have shown and did not: what a first read or an imported file brings is
-- old, not late.
with
reads_of_stretches as (
    select
        s.stretch_start, s.stretch_end,
        list(r.read_at order by r.read_at) as read_times
    from read_stretches as s
    inner join window_reads as r
        on r.source = s.source and r.window_start <= s.stretch_start and r.window_end >= s.stretch_end
    where s.source = $source and s.reads > 1
    group by s.stretch_start, s.stretch_end
),
imports as (
    select run_id from ingest_runs where command = 'import'
),
seen as (
    select
        e.event_name, e.event_time, e.first_seen_at,
        list_filter(
            s.read_times,
            lambda t: t >= e.event_time + to_milliseconds($grace_ms::bigint) and t < e.first_seen_at
        )[-1] as missed_at
    from event_rows as e
    asof join reads_of_stretches as s on e.event_time >= s.stretch_start
    where e.source = $source
      and e.event_time < s.stretch_end
      and e.run_id not in (select run_id from imports)
),
late as (
    select event_name, date_diff('second', event_time, first_seen_at) as late_seconds
    from seen
    where missed_at is not null
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
