-- The days of a time of which events would go, where what folds go on from stays.
select distinct cast(event_date as varchar) as day
from event_rows
where event_time < $before::timestamp and ($source is null or source = $source)
  and event_key not in (select k.event_key from kept_events as k)
order by day;
