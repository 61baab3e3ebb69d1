-- title: Who of the directory did nothing?
-- family: people
-- grain: one row per user of the directory whom no event of the range shows
-- param: since timestamp = 7d
-- param: until timestamp = now
with
active as (
    select distinct source, user_id, case when user_id is null then actor_email end as email
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (user_id is not null or actor_email is not null)
)
select
    coalesce(lower(users.email), 'user ' || cast(users.user_id as varchar)) as actor,
    users.administrator,
    users.account_owner,
    sightings.last_seen_at,
    users.user_id,
    users.source
from users
left join sightings
    on sightings.source = users.source
    and sightings.subject_kind = 'user'
    and sightings.subject = cast(users.user_id as varchar)
where not exists (
    select 1 from active
    where active.source = users.source
      and active.user_id = users.user_id
)
  and not exists (
    select 1 from active
    where active.source = users.source
      and active.email = lower(users.email)
)
order by last_seen_at, actor, user_id, source
