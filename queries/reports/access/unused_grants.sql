-- title: Unused database grants
-- question: Which database permissions were granted and not used since?
-- family: access
-- grain: one row per user and permission on databases that was granted in the range or before the log, exists at its end and was not used
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=holder y=rows stack=operation unit=count
-- A use is an event, or a read or write in the text of a job, that needs the right or may need it (rules:
-- schemas/uses.json). Those of the user between the grant and `until` count, as in unused_rights. Any use counts for
-- manage and for administrators and account owners, one on the user's own databases for owner_manage. All names that a
-- database ever had count. If the log does not name the database, a use counts for each. granted_at is empty for a right
-- from before the log; for such a right any use in the range counts.
with
-- part: uses
grants as (
    select
        source, user_id, person, operation, reach, database_id, object_name, way, policy_id, policy_name,
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
)
select
    grants.valid_from as granted_at,
    grants.person as holder,
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
      and uses.operation = case
          when grants.operation in ('administrator', 'account_owner') then 'manage' else grants.operation
      end
      and (grants.valid_from is null or uses.last_used_at >= grants.valid_from)
      and (grants.database_id is null or uses.database_id is null or uses.database_id = grants.database_id)
)
order by
    granted_at, holder, operation, reach, database_name, way, policy, granted_by, user_id, policy_id, database_id,
    source
