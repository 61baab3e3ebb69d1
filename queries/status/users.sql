-- The directory with the last event of each user. An event without an id is theirs whose e-mail it names.
with
named_events as (
    select
        source, user_id, case when user_id is null then actor_email end as email,
        max(event_time) as last_event_time, count(*) as events
    from events
    where user_id is not null or actor_email is not null
    group by source, user_id, case when user_id is null then actor_email end
)
select
    u.user_id, u.email, u.name, u.administrator, u.account_owner,
    (coalesce(i.events, 0) + coalesce(e.events, 0))::bigint as events,
    greatest(i.last_event_time, e.last_event_time) as last_event_time, u.source
from users as u
left join named_events as i on i.source = u.source and i.user_id = u.user_id
left join named_events as e on e.source = u.source and e.email = lower(u.email)
order by u.source, u.user_id;
