-- title: Database access
-- question: Who can reach a database?
-- family: access
-- grain: one row per user, permission that reaches the database and way of getting it, at a moment or soon after
-- param: on timestamp = now
-- param: hours integer = 0
-- param: database text = null
-- The moment is `on`; a date alone is its first moment, and with 24 `hours` its whole day. `database` is an id or a
-- name; without it all databases. A database is reached (seed 000) by every permission that names it; by manage,
-- administrators and account owners, with every operation; and by owner_manage for databases that the user made, if the
-- log shows who made them. For other permissions without ids, such as download, the databases are not in
-- the reference: they are listed for each, and reach says so. Deleted databases are excluded. The way is policy, set (the
-- user's own), share or flag. Users missing from the directory are excluded from then on; is_listed is false for those
-- it never listed.
with
wanted as (
    select source, database_id, creator_user_id
    from databases
    where database_id = cast($database as varchar)
       or lower(database_name) = lower(cast($database as varchar))
),
in_force as (
    select
        source, user_id, person, is_listed, way, policy_id, policy_name, operation, database_id,
        object_name, reach, valid_from, valid_to, known_from
    from user_access
    where reach is not null
      and (
          valid_from is null
          or valid_from <= cast($on as timestamp)
          or valid_from < cast($on as timestamp) + cast($hours as integer) * interval '1' hour
      )
      and (valid_to is null or valid_to > cast($on as timestamp))
      and coalesce(way_to > cast($on as timestamp), true) and coalesce(right_to > cast($on as timestamp), true)
      and coalesce(way_from <= cast($on as timestamp) + cast($hours as integer) * interval '1' hour, true)
      and coalesce(right_from <= cast($on as timestamp) + cast($hours as integer) * interval '1' hour, true)
)
select
    person as holder,
    operation,
    reach,
    coalesce(object_name, database_id) as database_name,
    way,
    coalesce(policy_name, policy_id) as policy,
    valid_from,
    valid_to,
    known_from,
    is_listed,
    user_id,
    policy_id,
    database_id,
    source
from in_force
where cast($database as varchar) is null
   or reach in ('every database', 'databases not shown')
   or reach = 'one database' and (
       database_id = cast($database as varchar)
       or exists (
           select 1 from wanted
           where wanted.source = in_force.source
             and wanted.database_id = in_force.database_id
       )
   )
   or reach = 'own databases' and exists (
       select 1 from wanted
       where wanted.source = in_force.source
         and wanted.creator_user_id = in_force.user_id
   )
order by
    holder, operation, reach, database_name, way, policy, valid_from, valid_to, known_from, is_listed, user_id,
    policy_id, database_id, source
