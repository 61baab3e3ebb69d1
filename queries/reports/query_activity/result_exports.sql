-- title: Result exports by destination
-- question: Where are query results exported to, and by whom?
-- family: query_activity
-- grain: one row per connection and user
-- param: since timestamp = 7d
-- param: until timestamp = now
-- scope: range
with
exports as (
    select
        source, user_id, event_time, outcome, exported_job_id, actor,
        coalesce(nullif(target_connection, ''), 'not recorded') as connection
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('job_result_export', 'job_result_export_failed')
)
select
    connection,
    actor,
    count(*) filter (where outcome = 'succeeded') as exports,
    count(*) filter (where outcome in ('denied', 'failed')) as failed,
    count(distinct exported_job_id) as jobs,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from exports
group by source, connection, actor
order by exports desc, failed desc, connection, actor, source
