-- The users in force: whether the list just read has them, and since when lists that were kept aside lacked them.
create or replace temp table known_users as
select h.user_id, i.user_id is not null as is_listed, m.missing_since
from user_history as h
left join incoming_users as i on i.user_id = h.user_id
left join directory_losses as m on m.source = h.source and m.user_id = h.user_id
where h.source = $source and h.valid_to is null;

-- What decides about those whom it lacks.
select
    count(*) as in_force,
    count(*) filter (where not is_listed) as lacking,
    count(missing_since) as missing,
    count(missing_since) filter (where not is_listed) as still_missing
from known_users;
