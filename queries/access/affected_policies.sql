-- Unknown policies (unknown_policies.sql) that affect a question: one policy, two, those of some users, or all. User ids
-- are separated by commas.
select u.policy_id, u.policy_name
from unknown_policies as u
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
