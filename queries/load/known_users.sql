-- The users in force: whether the list just read has them, since when lists that were kept aside did not have them, and
-- whether they were there at the last reading that was not held back.
create or replace temp table known_users as
with
last_settled as (
    select max(read_at) as read_at
    from directory_readings
    where source = $source and verdict in ('whole', 'loss', 'accepted')
),
settled as (
    select distinct h.user_id
    from user_history as h
    inner join last_settled as l
        on h.valid_from <= l.read_at and coalesce(h.valid_to > l.read_at, true)
    where h.source = $source
)
select
    h.user_id, i.user_id is not null as is_listed, m.missing_since,
    s.user_id is not null as is_settled
from user_history as h
left join settled as s on s.user_id = h.user_id
left join incoming_users as i on i.user_id = h.user_id
left join directory_losses as m on m.source = h.source and m.user_id = h.user_id
where h.source = $source and h.valid_to is null;

-- Counts for the decision about missing users.
select
    count(*) as in_force,
    count(*) filter (where is_settled) as settled,
    count(*) filter (where is_settled and not is_listed) as settled_missing,
    count(*) filter (where not is_listed) as absent,
    count(missing_since) as missing,
    count(missing_since) filter (where not is_listed) as still_missing
from known_users;
