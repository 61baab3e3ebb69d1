-- How the pages of the reads that are due run in time. The times of a page are held at once, so that only a share of
-- the pages is looked at where there are many events.
insert into read_order_rows (source, read_id, rising_pages, falling_pages, unordered_pages)
with
logged as (
    select distinct source, read_id, page_number
    from access_event_rows
    where hash(read_id, page_number) % $shares::ubigint = $share::ubigint
),
pages as (
    select
        e.source, e.read_id, e.page_number,
        list(e.event_time order by e.record_number) as times
    from due_events($first_time::timestamp, $last_time::timestamp) as e
    semi join logged as t
        on t.read_id = e.read_id and t.page_number = e.page_number and t.source = e.source
    group by e.source, e.read_id, e.page_number
    having min(e.event_time) < max(e.event_time)
),
sorted as (
    select source, read_id, times, list_sort(times) as rising
    from pages
),
runs as (
    select source, read_id, times = rising as is_rising, times = list_reverse(rising) as is_falling
    from sorted
)
select
    source, read_id,
    count(*) filter (where is_rising) as rising_pages,
    count(*) filter (where is_falling) as falling_pages,
    count(*) filter (where not is_rising and not is_falling) as unordered_pages
from runs
group by source, read_id
order by source, read_id;
