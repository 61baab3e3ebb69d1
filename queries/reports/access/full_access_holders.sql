-- title: Users with full access
-- question: Who has full access?
-- family: access
-- grain: one row per user and way to full access, at a moment
-- param: on timestamp = now
-- chart: bars x=way y=rows stack=operation unit=count
-- Full access is manage without ids, which is every operation on every database (seed 000, What the service does).
-- Administrators and account owners have it, too. granted_by is empty for grants from before the log.
select
    person as holder,
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
  and
  -- part: access_on
order by
    holder, operation, way, policy, valid_from, granted_by, valid_to, known_from, is_listed, user_id,
    policy_id, source
