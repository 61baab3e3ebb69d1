-- Who belongs to a policy now, according to log and directory.
select distinct user_id, user_email
from user_access
where way = 'member'
  and resource_kind = 'Policies'
  and object_id = $policy_id
  and source = $source
  and valid_to is null
order by user_id, user_email
