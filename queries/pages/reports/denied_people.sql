-- title: Most denied people
-- question: Who was denied the most?
-- grain: one row per person
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=denials unit=count link=report:denials_by_actor
select
    actor,
    count(*) as denials,
    count(distinct denial_kind) as kinds
from denials
where event_time >= cast($since as timestamp)
  and event_time < cast($until as timestamp)
group by actor
order by denials desc, kinds desc, actor
