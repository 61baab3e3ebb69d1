-- title: All events
-- question: How many events were there each day?
-- grain: one row per day, UTC
-- param: since timestamp = 30d
-- param: until timestamp = now
-- chart: bars x=day y=events unit=count link=events
select event_date as day, count(*) as events
from events
where event_time >= cast($since as timestamp)
  and event_time < cast($until as timestamp)
group by day
order by day
