-- title: Downloads of activation and profile data
-- question: Who downloaded the data of activations and profiles?
-- family: egress
-- grain: one row per user, resource and kind of download
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=rows stack=event_name unit=count
-- scope: range
with
found as (
    select
        source, user_id, event_time, canonical_name, outcome,
        coalesce(resource_name, resource_id, 'not recorded') as resource,
        resource_id,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in (
          'syndication_execution_download', 'segment_customer_query', 'customer_index', 'customer_show',
          'profile_index', 'customer_attributes_index', 'customer_activity_index', 'audience_sample',
          'audience_behavior_sample', 'audience_behavior_poll_records', 'bulk_import_error_records_download'
      )
)
select
    actor,
    resource,
    canonical_name as event_name,
    count(*) filter (where outcome = 'succeeded') as downloads,
    count(*) filter (where outcome in ('denied', 'failed')) as refused,
    min(event_time) as first_at,
    max(event_time) as last_at,
    resource_id,
    max(user_id) as user_id,
    source
from found
group by source, actor, resource, resource_id, canonical_name
order by downloads desc, refused desc, actor, resource, event_name, resource_id, source
