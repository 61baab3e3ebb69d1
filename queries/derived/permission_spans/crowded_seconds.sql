-- Order of the changes within a second that has several. Their sets form a chain with two ends if one set occurs one
-- time more before a change than after, and another one time more after than before. Record positions decide if all
-- pages of the source run in one direction.
create or replace temp table crowded_seconds as
with
changes as (
    select series_key, event_time, count(*) as changes, bool_and(is_before_read) as is_before_read
    from crowded_changes
    group by series_key, event_time
),
ends as (
    select series_key, event_time, found_set as held, 1 as side
    from crowded_changes
    union all
    select series_key, event_time, left_set as held, -1 as side
    from crowded_changes
),
open_ends as (
    select series_key, event_time, held, sum(side) as side
    from ends
    group by series_key, event_time, held
    having sum(side) <> 0
),
chains as (
    select
        series_key, event_time,
        max(held) filter (where side = 1) as first_set,
        max(held) filter (where side = -1) as last_set
    from open_ends
    group by series_key, event_time
    having count(*) = 2 and max(side) = 1 and min(side) = -1
),
places as (
    select
        c.series_key, c.event_time, c.found_set, c.left_set, e.read_id,
        {'page': e.page_number * d.direction, 'record': e.record_number * d.direction} as place
    from crowded_changes as c
    inner join touched_series as s on s.series_key = c.series_key
    inner join access_event_rows as e
        on e.source = s.source and e.event_time = c.event_time and e.event_key = c.event_key
    inner join read_directions() as d on d.source = s.source
    where d.direction is not null
),
orders as (
    select
        series_key, event_time,
        arg_min(found_set, place) as first_set,
        arg_max(left_set, place) as last_set
    from places
    group by series_key, event_time
    having min(read_id) = max(read_id)
)
select
    c.series_key, c.event_time, c.changes, c.is_before_read,
    h.first_set as chain_first_set, h.last_set as chain_last_set,
    o.first_set as order_first_set, o.last_set as order_last_set
from changes as c
left join chains as h on h.series_key = c.series_key and h.event_time = c.event_time
left join orders as o on o.series_key = c.series_key and o.event_time = c.event_time;
