-- The users of a source whom the readings after a moment ended, and who are not back since: the first ten.
with
ended as (
    select h.user_id, arg_max(coalesce(h.email, h.name), h.valid_from) as person
    from user_history as h
    where h.source = $source
      and h.valid_to > coalesce($after::timestamp, '-infinity'::timestamp)
      and not exists (
          select 1
          from user_history as n
          where n.source = h.source and n.user_id = h.user_id and n.valid_from >= h.valid_to
      )
    group by h.user_id
)
select coalesce(person, 'user ' || cast(user_id as varchar)) as person, count(*) over () as users
from ended
order by user_id
limit 10;
