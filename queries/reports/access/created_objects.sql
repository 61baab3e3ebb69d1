-- title: Created objects
-- question: Who created which objects?
-- family: access
-- grain: one row per event that creates or copies an object
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=rows stack=area unit=count
-- scope: range
-- Event names that end in create, clone or duplicate, and created API keys. Imports, runs and jobs with such a name are
-- in data_imports, deletions and the reports on queries instead.
with
creations as (
    select
        event_key, source, user_id, event_time, outcome, ip_address, actor, resource_id, resource_name, area,
        coalesce(canonical_name, event_name) as event_name
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (
          coalesce(canonical_name, event_name) like '%create'
          or coalesce(canonical_name, event_name) like '%clone'
          or coalesce(canonical_name, event_name) like '%duplicate'
          or canonical_name in ('journey_bundle_new_journey', 'user_apikey_generate')
      )
)
select
    event_time,
    actor,
    area,
    event_name,
    coalesce(resource_name, resource_id, 'not recorded') as object,
    outcome,
    ip_address,
    resource_id,
    user_id,
    event_key,
    source
from creations
where event_name not in (
    'partial_delete_create', 'table_import_create', 'file_upload_import_create', 'bulk_import_create',
    'workflow_attempt_create', 'segment_insight_query_create', 'segment_campaign_insight_query_create'
)
order by
    event_time, actor, area, event_name, object, outcome, ip_address, resource_id, user_id, event_key, source
