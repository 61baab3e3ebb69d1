-- Windows whose newest read is complete and was made after they closed, or withheld equal records: the number of its
-- records and, for a window requested as one, the second that splits it in two. Without the split, a page repeated in
-- each read would make two reads agree on doubled records. The second leaves records on both sides; a window with
-- records in only one second has none. It has records itself, to detect a service that omits the first second of a
-- range. Preferred is a second where neither side fills its pages, since a dropped last page would not show; then one
-- where that also holds with the records at its end, since some services include it; then the second nearest the
-- median.
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
        w.start_ms, w.window_start, w.window_end, r.read_id, r.state, r.withheld, r.signs, r.parts, r.fetched, r.outside,
        r.window_start = w.window_start and r.window_end = w.window_end as is_same
    from windows as w
    inner join window_reads as r on r.window_start < w.window_end and r.window_end > w.window_start
    where r.source = $source and not r.neutral and not r.is_mark
    qualify row_number() over (partition by w.start_ms order by r.read_at desc, r.read_id desc) = 1
),
due as (
    select start_ms, window_start, window_end, read_id, parts, fetched, outside
    from newest
    where is_same and (state = 'closed' or withheld > 0) and len(signs) = 0
),
page_sizes as (
    select d.start_ms, d.outside, [greatest(max(p.fetched), 1), $page_size] as sizes
    from due as d
    inner join ingest_pages as p on p.read_id = d.read_id
    group by d.start_ms, d.outside
),
seconds as (
    select d.start_ms, date_trunc('second', e.event_time) as at_second, count(*) as events
    from due as d
    inner join event_rows as e on e.event_time >= d.window_start and e.event_time < d.window_end
    where e.source = $source and d.parts = 1
    group by d.start_ms, date_trunc('second', e.event_time)
),
sides as (
    select
        start_ms, at_second, events,
        sum(events) over (partition by start_ms order by at_second) - events as before,
        sum(events) over (partition by start_ms) as of_all
    from seconds
),
candidates as (
    select
        s.start_ms, s.at_second,
        list_bool_or(list_transform(g.sizes, lambda n: s.before % n = 0 or (s.of_all - s.before) % n = 0)) as is_full,
        list_bool_or(list_transform(
            g.sizes, lambda n: (s.before + s.events) % n = 0 or (s.of_all - s.before + g.outside) % n = 0
        )) as is_full_with_ends,
        abs(2 * s.before - s.of_all) as off_middle
    from sides as s
    inner join page_sizes as g on g.start_ms = s.start_ms
    where s.before > 0
),
splits as (
    select start_ms, arg_min(at_second, (is_full, is_full_with_ends, off_middle, at_second)) as split_second
    from candidates
    group by start_ms
)
select d.start_ms, d.fetched as records, epoch_ms(c.split_second) as split_ms
from due as d
left join splits as c on c.start_ms = d.start_ms
order by d.start_ms;
