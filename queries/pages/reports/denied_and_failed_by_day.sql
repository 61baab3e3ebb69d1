-- title: Denied and failed events per day
-- question: How many events were denied or failed each day?
-- family: denials
-- grain: one row per day, UTC, and outcome
-- param: since timestamp = 30d
-- param: until timestamp = now
-- chart: bars x=day y=events stack=outcome usual=weekday unit=count link=events
select event_date as day, outcome, count(*) as events
from denials
where event_time >= cast($since as timestamp)
  and event_time < cast($until as timestamp)
group by day, outcome
order by day, outcome
