-- name: hits
create or replace temp table raising_hits (hit_number integer, key varchar, hit_time timestamp, window_start timestamp);

-- name: events
-- What is counted goes to the first hit of its key at or after it, where it is in the window of that hit.
with
joined as (
    select h.hit_number, c.event_key, c.hit_time
    from counted_events as c
    asof join raising_hits as h on h.key = c.key and c.hit_time <= h.hit_time
    where c.hit_time >= h.window_start
)
select hit_number, string_agg(event_key, ' ' order by hit_time, event_key) as event_keys
from joined
group by hit_number
order by hit_number;

-- name: usual
-- The most that each key had before its first hit, and the median of what the other keys had.
with
firsts as (
    select key, min(hit_time) as first_at
    from raising_hits
    group by key
),
before as (
    select c.key, unnest(range(1, len(c.measures) + 1)) as measure, unnest(c.measures) as value
    from counted_events as c
    left join firsts as f on f.key = c.key
    where f.key is null
       or c.hit_time < f.first_at - to_milliseconds($reach_ms)
),
most as (
    select key, measure, max(value) as value
    from before
    group by key, measure
),
numbered as (
    select distinct measure from most
)
select
    n.measure, f.key,
    max(m.value) filter (where m.key = f.key) as own,
    median(m.value) filter (where m.key <> f.key) as others
from firsts as f
cross join numbered as n
left join most as m on m.measure = n.measure
group by n.measure, f.key
order by n.measure, f.key;
