-- For windows whose newest read is complete and came after they had closed: how many records it held and, where it
-- asked for the window as one, the second that cuts the window in two. It is the one nearest the median that leaves
-- records on both sides; a window with records in one second alone has none.
with
asked as (
    select unnest($starts) as start_ms, unnest($ends) as end_ms
),
windows as (
    select
        cast(start_ms as bigint) as start_ms,
        make_timestamp(cast(start_ms as bigint) * 1000) as window_start,
        make_timestamp(cast(end_ms as bigint) * 1000) as window_end
    from asked
),
newest as (
    select
        w.start_ms, w.window_start, w.window_end, r.state, r.signs, r.parts, r.fetched,
        r.window_start = w.window_start and r.window_end = w.window_end as is_same
    from windows as w
    inner join window_reads as r on r.window_start < w.window_end and r.window_end > w.window_start
    where r.source = $source and not r.neutral and not r.is_mark
    qualify row_number() over (partition by w.start_ms order by r.read_at desc, r.read_id desc) = 1
),
due as (
    select start_ms, window_start, window_end, parts, fetched
    from newest
    where is_same and state = 'closed' and len(signs) = 0
),
seconds as (
    select d.start_ms, date_trunc('second', e.event_time) as at_second
    from due as d
    inner join event_rows as e on e.event_time >= d.window_start and e.event_time < d.window_end
    where e.source = $source and d.parts = 1
),
middles as (
    select start_ms, min(at_second) as first_second, quantile_disc(at_second, 0.5) as median_second
    from seconds
    group by start_ms
),
cuts as (
    select
        s.start_ms,
        arg_min(s.at_second, (abs(epoch(s.at_second) - epoch(m.median_second)), s.at_second)) as cut_second
    from seconds as s
    inner join middles as m on m.start_ms = s.start_ms
    where s.at_second > m.first_second
    group by s.start_ms
)
select d.start_ms, d.fetched as records, epoch_ms(c.cut_second) as cut_ms
from due as d
left join cuts as c on c.start_ms = d.start_ms
order by d.start_ms;
