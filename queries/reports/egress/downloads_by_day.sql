-- title: Downloads by day
-- question: How much result data was downloaded each day?
-- family: egress
-- grain: one row per day
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: dots x=day y=bytes scale=log unit=bytes link=events
-- scope: range
-- For partial days at the ends of the range, only the events in the range count.
with
downloads as (
    select
        source, event_date, bytesize, resource_id,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'job_result_download'
      and outcome = 'succeeded'
)
select
    event_date as day,
    count(*) as downloads,
    cast(coalesce(sum(bytesize), 0) as bigint) as bytes,
    count(distinct actor) as actors,
    count(distinct resource_id) as jobs,
    coalesce(max(bytesize), 0) as largest_bytes,
    source
from downloads
group by source, event_date
order by day, source
