-- title: Connections used right after creation
-- question: Which connections were created and used immediately?
-- family: egress
-- grain: one row per connection whose maker sent or fetched data within some hours
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- Whom the log does not name at all made and used nothing as far as it tells.
with
found as (
    select
        source, user_id, event_time, canonical_name, resource_id, resource_name,
        -- The second resource of an export is the job whose result goes out.
        coalesce(nullif(target_connection, ''), nullif(target_resource_id, exported_job_id)) as target_id,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp) + cast($hours as integer) * interval '1' hour
      and outcome = 'succeeded'
      and canonical_name in (
          'connection_create', 'paas_create', 'job_result_export', 'data_transfer_create', 'data_transfer_run'
      )
),
made as (
    select distinct source, user_id, event_time, actor, resource_id, resource_name
    from found
    where canonical_name in ('connection_create', 'paas_create')
      and event_time < cast($until as timestamp)
      and actor <> 'unknown'
),
uses as (
    select source, event_time, actor, target_id
    from found
    where canonical_name in ('job_result_export', 'data_transfer_create', 'data_transfer_run')
)
select
    made.event_time as made_at,
    made.actor,
    made.resource_name as connection,
    made.resource_id as connection_id,
    count(*) as uses,
    count(*) filter (where uses.target_id = made.resource_id or uses.target_id = made.resource_name) as uses_that_name_it,
    min(uses.event_time) as first_use_at,
    made.user_id,
    made.source
from made
inner join uses
    on uses.source = made.source
    and uses.actor = made.actor
    and uses.event_time >= made.event_time
    and uses.event_time <= made.event_time + cast($hours as integer) * interval '1' hour
group by made.source, made.user_id, made.event_time, made.actor, made.resource_name, made.resource_id
order by made_at, actor, connection, connection_id, user_id, source
