-- title: First result downloads
-- question: Who downloaded results for the first time?
-- family: egress
-- grain: one row per user with a first download in the range and none in the days before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
with
downloads as (
    select
        source, user_id, event_time, bytesize,
        actor
    from events
    where event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and canonical_name = 'job_result_download'
      and outcome = 'succeeded'
)
select
    min(event_time) as first_at,
    actor,
    count(*) as downloads,
    cast(coalesce(sum(bytesize), 0) as bigint) as bytes,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from downloads
group by source, actor
having min(event_time) >= cast($since as timestamp)
order by first_at, actor, source
