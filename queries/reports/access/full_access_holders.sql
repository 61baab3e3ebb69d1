-- title: Who has full access?
-- family: access
-- grain: one row per user and way to full access, at a moment
-- param: on timestamp = now
-- chart: bars x=way y=rows stack=operation unit=count
-- Full access is manage without ids, which is every operation on every database (seed 000, What the service does).
-- Administrators and account owners have it, too. granted_by is empty where the log does not reach.
select
    coalesce(user_email, 'user ' || cast(user_id as varchar)) as holder,
    operation,
    way,
    coalesce(policy_name, policy_id) as policy,
    valid_from,
    granted_by,
    valid_to,
    known_from,
    is_listed,
    user_id,
    policy_id,
    source
from user_access
where reach = 'every database'
  and operation in ('manage', 'administrator', 'account_owner')
  and (valid_from is null or valid_from <= cast($on as timestamp))
  and (valid_to is null or valid_to > cast($on as timestamp))
  and coalesce(way_from <= cast($on as timestamp), true) and coalesce(way_to > cast($on as timestamp), true)
  and coalesce(right_from <= cast($on as timestamp), true) and coalesce(right_to > cast($on as timestamp), true)
order by
    holder, operation, way, policy, valid_from, granted_by, valid_to, known_from, is_listed, user_id,
    policy_id, source
