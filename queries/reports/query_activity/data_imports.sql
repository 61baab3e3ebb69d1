-- title: Data imports
-- question: Who imported data, into which tables and how much?
-- family: query_activity
-- grain: one row per user, way of import, event and table or transfer
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=rows stack=way unit=count
-- scope: range
-- The ways are rows (table imports), bulk import, upload (files) and transfer (data transfers and bulk loads). Several
-- events can belong to one import: a bulk import is created, filled, performed and committed. imported_rows is
-- the sum of the amounts that the events carry.
with
imports as (
    select
        source, user_id, event_time, outcome, amount, actor,
        coalesce(canonical_name, event_name) as event_name,
        case
            when canonical_name like 'table_%' then 'rows'
            when canonical_name like 'bulk_import_%' then 'bulk import'
            when canonical_name like '%_upload_%' then 'upload'
            else 'transfer'
        end as way,
        coalesce(nullif(target_table, ''), nullif(resource_name, ''), resource_id, 'not recorded') as destination
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (
          canonical_name in (
              'table_import_create', 'table_insert_finished',
              'bulk_import_create', 'bulk_import_create_part', 'bulk_import_modify', 'bulk_import_finished',
              'file_upload_import_create', 'file_upload_import_old_console', 'web_upload_import_finished',
              'data_transfer_create', 'data_transfer_run'
          )
          or canonical_name = 'job_issue' and (
              lower(job_type) = 'bulkloadjob'
              or operation = 'POST /v3/connections/:connection_id/tables/:table_id/bulk_loads'
          )
      )
)
select
    actor,
    way,
    event_name,
    destination,
    count(*) as events,
    count(*) filter (where outcome in ('denied', 'failed')) as refused,
    cast(sum(amount) as bigint) as imported_rows,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from imports
group by source, actor, way, event_name, destination
order by events desc, actor, way, event_name, destination, source
