-- The changes of a series in a second that has several of them, each with the whole set that it found and left.
create or replace temp table crowded_changes as
with
crowds as (
    select series_key, event_time
    from series_marks
    group by series_key, event_time
    having count(distinct event_key) > 1
)
select
    m.series_key, m.event_time, m.event_key,
    bool_and(m.is_held_before is not null) as is_before_read,
    list_sort(coalesce(list(m.permission) filter (where m.permission is not null and m.is_held_before), []))
        as found_set,
    list_sort(coalesce(list(m.permission) filter (where m.permission is not null and m.is_held_after), []))
        as left_set
from series_marks as m
semi join crowds as c on c.series_key = m.series_key and c.event_time = m.event_time
group by m.series_key, m.event_time, m.event_key;
