-- The directory with the last event of each user.
with
last_events as (
    select source, user_id, max(event_time) as last_event_time, count(*) as events
    from events
    where user_id is not null
    group by source, user_id
)
select
    u.user_id, u.email, u.name, u.administrator, u.account_owner,
    coalesce(l.events, 0) as events, l.last_event_time, u.source
from users as u
left join last_events as l on l.source = u.source and l.user_id = u.user_id
order by u.source, u.user_id;
