-- title: Largest downloads
-- question: Who downloaded the most?
-- grain: one row per person
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=bytes unit=bytes link=report:result_downloads
select
    actor,
    count(*) as downloads,
    cast(coalesce(sum(bytesize), 0) as bigint) as bytes
from events
where event_time >= cast($since as timestamp)
  and event_time < cast($until as timestamp)
  and canonical_name = 'job_result_download'
  and outcome = 'succeeded'
group by actor
order by bytes desc, downloads desc, actor
