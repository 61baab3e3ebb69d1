-- How many events are due in each hour.
select
    cast(date_trunc('hour', event_time) as varchar) as first_time,
    cast(date_trunc('hour', event_time) + interval 1 hour - interval 1 microsecond as varchar) as last_time,
    count(*) as events
from due_events($first_time::timestamp, $last_time::timestamp)
group by date_trunc('hour', event_time)
order by date_trunc('hour', event_time);
