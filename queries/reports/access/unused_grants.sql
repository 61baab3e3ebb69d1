-- title: Which rights on databases were given and never used since?
-- family: access
-- grain: one row per user and right on databases granted in the range or before the log, held at its end and not used
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bar holder rows
-- Used means any event of the user on the database between the grant and `until`: a job, a result, a table, an import.
-- For a right on every database, or on the user's own, any database counts. Events name databases by their names, sets
-- by their ids. A database that the log never names cannot be seen in use, and stands here with its id. granted_at is
-- empty where a right was there before the log. Of such a right any use in the range counts.
with
grants as (
    select
        source, user_id, user_email, operation, reach, database_id, object_name, way, policy_id, policy_name,
        held_since as valid_from, granted_by
    from user_access
    where reach is not null
      and (
          held_since is null
          or granted_by is not null
          and held_since >= cast($since as timestamp)
          and held_since < cast($until as timestamp)
      )
      and (valid_from is null or valid_from <= cast($until as timestamp))
      and (valid_to is null or valid_to > cast($until as timestamp))
      and coalesce(way_from <= cast($until as timestamp), true) and coalesce(way_to > cast($until as timestamp), true)
      and coalesce(right_from <= cast($until as timestamp), true)
      and coalesce(right_to > cast($until as timestamp), true)
),
touched as (
    select source, user_id, lower(database_name) as database_name, activity_time as used_at
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and database_name is not null
    union all
    select
        source, user_id,
        lower(split_part(coalesce(target_table, resource_name), '.', 1)) as database_name,
        event_time as used_at
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and area in ('Jobs', 'Table', 'Bulk import', 'File upload')
      and outcome = 'succeeded'
      and coalesce(target_table, resource_name) like '%.%'
),
uses as (
    select source, user_id, database_name, max(used_at) as last_used_at
    from touched
    where user_id is not null
    group by source, user_id, database_name
)
select
    grants.valid_from as granted_at,
    coalesce(grants.user_email, 'user ' || cast(grants.user_id as varchar)) as holder,
    grants.operation,
    grants.reach,
    coalesce(grants.object_name, grants.database_id) as database_name,
    grants.way,
    coalesce(grants.policy_name, grants.policy_id) as policy,
    grants.granted_by,
    grants.user_id,
    grants.policy_id,
    grants.database_id,
    grants.source
from grants
where not exists (
    select 1 from uses
    where uses.source = grants.source
      and uses.user_id = grants.user_id
      and (grants.valid_from is null or uses.last_used_at >= grants.valid_from)
      and (grants.reach <> 'one database' or uses.database_name = lower(grants.object_name))
)
order by
    granted_at, holder, operation, reach, database_name, way, policy, granted_by, user_id, policy_id, database_id,
    source
