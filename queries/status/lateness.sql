-- How late events arrive. Only those count that an earlier read of their time could have shown and did
-- not: what a first read or an imported file brings is old, not late.
with
first_reads as (
    select
        source, window_start,
        max(window_end) as window_end,
        min(read_at) as first_read_at,
        arg_min(run_id, read_at) as first_run_id
    from window_reads
    where window_start is not null and ($source is null or source = $source)
    group by source, window_start
),
late as (
    select
        e.source, e.event_name,
        date_diff('second', e.event_time, e.first_seen_at) as late_seconds
    from event_rows as e
    asof join first_reads as w on w.source = e.source and e.event_time >= w.window_start
    where e.event_time < w.window_end
      and e.run_id <> w.first_run_id
      and e.event_time < w.first_read_at
      and e.first_seen_at > w.first_read_at
      and e.run_id not in (select run_id from ingest_runs where command = 'import')
)
select
    source, event_name,
    count(*) as late_events,
    round(quantile_cont(late_seconds, 0.5))::bigint as median_seconds,
    round(quantile_cont(late_seconds, 0.99))::bigint as p99_seconds,
    max(late_seconds) as max_seconds
from late
group by source, event_name
order by max_seconds desc, source, event_name;
