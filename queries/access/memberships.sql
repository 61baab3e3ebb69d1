-- Who belongs to which policy now, as far as log and directory tell.
select distinct object_id as policy_id, cast(user_id as varchar) as user_id
from user_access
where way = 'member'
  and resource_kind = 'Policies'
  and source = $source
  and valid_to is null
  and user_id is not null
order by policy_id, user_id
