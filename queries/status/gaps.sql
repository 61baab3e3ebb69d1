-- Coverage gaps: intervals that no read could show. Inside the range that was read or that a backfill requested, they
-- were never requested, requested only before their time, or already deleted by the service when requested. A gap is
-- lost if the service no longer has it. Data deleted before the first request is not a gap, and neither is an accepted
-- interval. An interval that left the scheduled range without being final is a gap as well.
with
asking as (
    select run_id, window_start, window_end, least(read_at, coalesce(server_time, read_at)) as asked_at
    from window_reads
    where source = $source and window_start is not null and not is_mark
),
reads as (
    select
        window_start as seen_from,
        least(window_end, asked_at) as seen_until,
        min(asked_at) over (partition by run_id) as run_asked_at
    from asking
    where window_start < asked_at
),
started as (
    -- Scheduled reads start here, regardless of the outcome of the first windows.
    select finalized_until as border
    from checkpoints
    where source = $source
    union
    select min(i.range_start) as border
    from ingest_runs as i
    inner join window_reads as r on r.run_id = i.run_id
    where i.source = $source and i.command = 'ingest'
),
backfills as (
    -- A request before the end of its window covers the window only up to that time; services report their time in
    -- whole seconds.
    select
        i.range_start,
        least(i.range_end, coalesce(i.finished_at, i.range_end), coalesce(max(a.asked_at), i.range_end)) as range_end
    from ingest_runs as i
    left join asking as a
        on a.run_id = i.run_id and a.window_start < i.range_end and a.window_end >= i.range_end
    where i.source = $source and i.command = 'backfill' and i.range_start is not null
    group by i.run_id, i.range_start, i.range_end, i.finished_at
),
reached as (
    select border from started where border is not null
    union
    -- A range in the future has no requests yet and does not start the reading.
    select range_start as border from backfills where range_end > range_start
    union
    select range_end as border from backfills where range_end > range_start
    union
    select seen_from as border from reads
    union
    select seen_until as border from reads
),
accepted as (
    select window_start as accepted_from, window_end as accepted_until
    from window_reads
    where source = $source and is_mark and state = 'accepted'
),
accepted_edges as (
    select accepted_from as border from accepted
    union
    select accepted_until as border from accepted
),
borders as (
    select border from reached
    union
    -- What was accepted beyond the reading does not make it begin there.
    select border
    from accepted_edges
    where border > (select min(r.border) from reached as r) and border < (select max(r.border) from reached as r)
),
stretches as (
    select border as stretch_start, lead(border) over (order by border) as stretch_end
    from borders
),
asked as (
    select s.stretch_start, s.stretch_end, min(r.run_asked_at) as first_asked_at
    from stretches as s
    left join reads as r on r.seen_from <= s.stretch_start and r.seen_until >= s.stretch_end
    anti join accepted as p on p.accepted_from <= s.stretch_start and p.accepted_until >= s.stretch_end
    where s.stretch_end is not null
    group by s.stretch_start, s.stretch_end
),
kept as (
    select min(run_asked_at) - to_milliseconds($retention_ms::bigint) as kept_from from reads
),
pieces as (
    select stretch_start as gap_start, stretch_end as gap_end, false as is_forgotten, false as is_read
    from asked
    where first_asked_at is null
    union all
    select
        greatest(a.stretch_start, k.kept_from) as gap_start,
        least(a.stretch_end, a.first_asked_at - to_milliseconds($retention_ms::bigint)) as gap_end,
        true as is_forgotten, false as is_read
    from asked as a
    cross join kept as k
    where k.kept_from is not null and a.first_asked_at is not null
    union all
    select w.stretch_start as gap_start, w.stretch_end as gap_end, false as is_forgotten, true as is_read
    from read_stretches as w
    where w.source = $source
      and w.state = 'gap'
      and not exists (
          select 1
          from asked as a
          where (a.first_asked_at is null or a.first_asked_at - to_milliseconds($retention_ms::bigint) > w.stretch_start)
            and a.stretch_start < w.stretch_end and a.stretch_end > w.stretch_start
      )
),
marked as (
    select
        gap_start, gap_end, is_forgotten, is_read,
        case
            when gap_start is distinct from lag(gap_end) over (partition by is_forgotten, is_read order by gap_start) then 1
            else 0
        end as is_next
    from pieces
    where gap_start < gap_end
),
numbered as (
    select
        gap_start, gap_end, is_forgotten, is_read,
        sum(is_next) over (
            partition by is_forgotten, is_read order by gap_start
            rows between unbounded preceding and current row
        ) as place
    from marked
),
gaps as (
    select min(gap_start) as gap_start, max(gap_end) as gap_end, is_forgotten, is_read
    from numbered
    group by is_forgotten, is_read, place
)
select
    gap_start, gap_end,
    date_diff('second', gap_start, gap_end) / 86400.0 as days,
    is_forgotten
    or not is_read and coalesce(
        gap_start < make_timestamp($now_ms::bigint * 1000) - to_milliseconds($retention_ms::bigint), false
    ) as is_lost
from gaps
order by gap_start, gap_end, is_lost;
