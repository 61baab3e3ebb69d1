-- title: Which rights went to people who had been inactive?
-- family: permission_changes
-- grain: one row per right granted to a user who did nothing in the days before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
with
grants as (
    select
        event_key, source, event_time, user_id, ip_address, operation, resource_kind, subject_id,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        object_id, coalesce(object_name, object_id) as object
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
      and subject_kind = 'user'
      and subject_id is not null
),
-- part: owners
-- The day that the range ends in counts as far as it belongs to it.
days as (
    select
        source, cast(user_id as varchar) as subject_id,
        first_event_time as first_at,
        last_event_time as last_at
    from active_days
    where event_date < cast(cast($until as timestamp) as date)
    union all
    select
        source, cast(user_id as varchar) as subject_id,
        min(event_time) as first_at,
        max(event_time) as last_at
    from events
    where event_time >= cast(cast(cast($until as timestamp) as date) as timestamp)
      and event_time < cast($until as timestamp)
      and user_id is not null
    group by source, user_id
    union all
    select
        events.source, cast(owners.user_id as varchar) as subject_id,
        events.event_time as first_at,
        events.event_time as last_at
    from events
    inner join owners
        on owners.source = events.source
        and owners.email = events.actor_email
    where events.event_time < cast($until as timestamp)
      and events.user_id is null
),
seen as (
    select
        grants.source, grants.event_key, grants.subject_id,
        max(
            case
                when days.last_at < grants.event_time then days.last_at
                else days.first_at
            end
        ) as last_seen_at
    from grants
    inner join days
        on days.source = grants.source
        and days.subject_id = grants.subject_id
        and days.first_at < grants.event_time
    group by grants.source, grants.event_key, grants.subject_id
)
select
    grants.event_time,
    grants.actor,
    grants.subject,
    grants.operation,
    grants.object,
    seen.last_seen_at,
    grants.resource_kind,
    grants.ip_address,
    grants.subject_id,
    grants.user_id,
    grants.event_key,
    grants.source
from grants
left join seen
    on seen.source = grants.source
    and seen.event_key = grants.event_key
    and seen.subject_id = grants.subject_id
where seen.last_seen_at is null
   or seen.last_seen_at < grants.event_time - cast($days as integer) * interval '1' day
order by
    event_time, actor, subject, operation, object, last_seen_at, resource_kind, ip_address, subject_id,
    user_id, event_key, source
