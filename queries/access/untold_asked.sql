-- Of the policies that `untold.sql` found, those that a question is about: one, two, those of some users, or all. The ids
-- of users have commas between them.
select u.policy_id, u.policy_name
from untold_policies as u
where ($source is null or u.source = $source)
  and ($policy_id is null or u.policy_id in ($policy_id, $other_id))
  and (
      $user_id is null
      or exists (
          select 1
          from user_access as a
          where a.source = u.source
            and a.way = 'member'
            and a.resource_kind = 'Policies'
            and a.object_id = u.policy_id
            and position(',' || a.user_id || ',' in ',' || $user_id || ',') > 0
            and
            -- part: valid_on
      )
  )
order by u.policy_name, u.policy_id, u.source
