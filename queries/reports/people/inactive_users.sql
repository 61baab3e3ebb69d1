-- title: Inactive users
-- question: Which users of the directory had no activity?
-- family: people
-- grain: one row per user of the directory without an event in the range
-- param: since timestamp = 7d
-- param: until timestamp = now
with
active as (
    select distinct source, user_id, case when user_id is null then actor_email end as email
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (user_id is not null or actor_email is not null)
),
-- part: owners
shown as (
    select source, user_id
    from active
    where user_id is not null
    union
    select o.source, o.user_id
    from active as a
    inner join owners as o on o.source = a.source and o.email = a.email
),
-- An e-mail of several users does not identify the user of an event without an id.
seen as (
    select users.source, users.user_id, sightings.last_seen_at
    from users
    inner join sightings
        on sightings.source = users.source
        and sightings.subject_kind = 'user'
        and sightings.subject = cast(users.user_id as varchar)
    union all
    select users.source, users.user_id, sightings.last_seen_at
    from users
    inner join sightings
        on sightings.source = users.source
        and sightings.subject_kind = 'email'
        and sightings.subject = lower(users.email)
    left join sightings as own
        on own.source = users.source
        and own.subject_kind = 'user'
        and own.subject = cast(users.user_id as varchar)
    -- Few are seen later by their e-mail than by their id: these alone are looked for among the events.
    where coalesce(sightings.last_seen_at > own.last_seen_at, true)
      and not exists (
        select 1 from user_names
        where user_names.source = users.source
          and user_names.user_id <> users.user_id
          and user_names.kind in ('email', 'former_email')
          and user_names.name = lower(users.email)
    )
      -- Nor where its last event is of an id that the directory never had.
      and not exists (
        select 1 from events
        where events.source = sightings.source
          and events.event_time = sightings.last_seen_at
          and events.user_id <> users.user_id
          and events.actor_email = sightings.subject
    )
),
last_seen as (
    select source, user_id, max(last_seen_at) as last_seen_at
    from seen
    group by source, user_id
)
select
    coalesce(lower(users.email), 'user ' || cast(users.user_id as varchar)) as actor,
    users.administrator,
    users.account_owner,
    last_seen.last_seen_at,
    users.user_id,
    users.source
from users
left join last_seen
    on last_seen.source = users.source
    and last_seen.user_id = users.user_id
where not exists (
    select 1 from shown
    where shown.source = users.source
      and shown.user_id = users.user_id
)
order by last_seen_at, actor, user_id, source
