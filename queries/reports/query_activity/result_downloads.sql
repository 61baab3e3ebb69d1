-- title: Result downloads by user
-- question: Who downloads query results, and how much?
-- family: query_activity
-- grain: one row per user
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: dots x=actor y=bytes scale=log unit=bytes link=events
-- scope: range
with
downloads as (
    select
        source, user_id, event_time, ip_address, resource_id, bytesize, format,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'job_result_download'
      and outcome = 'succeeded'
)
select
    actor,
    count(*) as downloads,
    cast(coalesce(sum(bytesize), 0) as bigint) as bytes,
    count(distinct resource_id) as jobs,
    coalesce(max(bytesize), 0) as largest_bytes,
    count(*) filter (where format like 'msgpack%') as client_downloads,
    count(distinct nullif(ip_address, 'internal')) as addresses,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from downloads
group by source, actor
order by bytes desc, downloads desc, actor, source
