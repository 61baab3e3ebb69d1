-- title: Permissions of a user
-- question: What permissions did a user have?
-- family: access
-- grain: one row per permission of a user and way, at a moment or soon after
-- param: on timestamp = now
-- param: hours integer = 0
-- param: user text = null
-- The moment is `on`; a date alone is its first moment, and with 24 `hours` its whole day. `user` is an id or an
-- e-mail, or several separated by commas; without it all users. The way is policy, set (the user's own), share or flag.
-- Member rows show the policies and roles of the user, also those without known rights. reach names the databases that
-- a permission opens (seed 000): manage, administrators and account owners every operation on every database,
-- owner_manage those that the user made. For other permissions without ids, such as download, the databases are not
-- shown.
select
    person as holder,
    way,
    resource_kind,
    operation,
    coalesce(object_name, object_id) as object,
    reach,
    coalesce(policy_name, policy_id) as policy,
    valid_from,
    valid_to,
    known_from,
    is_listed,
    user_id,
    policy_id,
    object_id,
    source
from user_access
where (
        valid_from is null
        or valid_from <= cast($on as timestamp)
        or valid_from < cast($on as timestamp) + cast($hours as integer) * interval '1' hour
    )
  and (valid_to is null or valid_to > cast($on as timestamp))
  and coalesce(way_to > cast($on as timestamp), true) and coalesce(right_to > cast($on as timestamp), true)
  and coalesce(way_from <= cast($on as timestamp) + cast($hours as integer) * interval '1' hour, true)
  and coalesce(right_from <= cast($on as timestamp) + cast($hours as integer) * interval '1' hour, true)
  and (
      cast($user as varchar) is null
      or position(',' || cast(user_id as varchar) || ',' in ',' || replace(cast($user as varchar), ' ', '') || ',') > 0
      or user_email <> ''
      and position(',' || user_email || ',' in ',' || lower(replace(cast($user as varchar), ' ', '')) || ',') > 0
  )
order by
    holder, way, resource_kind, operation, object, reach, policy, valid_from, valid_to, known_from, is_listed,
    user_id, policy_id, object_id, source
