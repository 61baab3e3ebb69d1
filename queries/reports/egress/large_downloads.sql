-- title: Large result downloads
-- question: Which downloads of results were large?
-- family: egress
-- grain: one row per download of at least that many megabytes
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: megabytes integer = 100
with
downloads as (
    select
        event_key, source, user_id, event_time, bytesize, format, ip_address, resource_id, resource_name,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'job_result_download'
      and outcome = 'succeeded'
      and bytesize >= cast($megabytes as bigint) * 1000000
)
select
    event_time,
    actor,
    bytesize as bytes,
    resource_id as job_id,
    resource_name as job_name,
    format,
    ip_address,
    user_id,
    event_key,
    source
from downloads
order by bytes desc, event_time, actor, job_id, job_name, format, ip_address, user_id, event_key, source
