-- title: Grants to inactive users
-- question: Which permissions were granted to users without recent activity?
-- family: permission_changes
-- grain: one row per permission granted to a user without an event in the days before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 30
-- param: learning_hours integer = 720
-- detection: medium
-- attack: T1098
-- key: source, user_id, account, subject_id
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A right is granted to a user without an event in the {days} days before.
-- message: {actor} granted {operation} on {object} to {subject}, last seen at {last_seen_at:time}
-- next: auditlake investigate --user {subject} --during {event_time:date}
-- runbook: Check whether the account is still needed, and whether its owner asked for the right.
-- A person without any event counts only after the learning period: learning_hours from the first event.
with
grants as (
    select
        event_key, source, event_time, user_id, ip_address, operation, resource_kind, subject_id, actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
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
-- part: first_events
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
    where events.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and events.event_time < cast($until as timestamp)
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
),
dormant as (
    select
        grants.event_key, grants.source, grants.event_time, grants.user_id, grants.ip_address, grants.operation,
        grants.resource_kind, grants.subject_id, grants.actor, grants.account, grants.subject, grants.object,
        seen.last_seen_at
    from grants
    left join seen
        on seen.source = grants.source
        and seen.event_key = grants.event_key
        and seen.subject_id = grants.subject_id
    where seen.last_seen_at is null
       or seen.last_seen_at < grants.event_time - cast($days as integer) * interval '1' day
),
-- Of these alone the log is looked through for when an e-mail of theirs last stood there before, where one did.
emails_before as (
    select few.source, few.subject_id, owners.email
    from (select distinct source, subject_id from dormant) as few
    inner join owners
        on owners.source = few.source
        and cast(owners.user_id as varchar) = few.subject_id
    inner join sightings
        on sightings.source = owners.source
        and sightings.subject_kind = 'email'
        and sightings.subject = owners.email
    where sightings.first_seen_at < cast($since as timestamp) - cast($days as integer) * interval '1' day
),
seen_before as (
    select emails_before.source, emails_before.subject_id, max(events.event_time) as last_seen_at
    from events
    inner join emails_before
        on emails_before.source = events.source
        and emails_before.email = events.actor_email
    where events.event_time < cast($since as timestamp) - cast($days as integer) * interval '1' day
      and events.user_id is null
    group by emails_before.source, emails_before.subject_id
)
select
    dormant.event_time,
    dormant.actor,
    dormant.subject,
    dormant.operation,
    dormant.object,
    case
        when coalesce(dormant.last_seen_at > seen_before.last_seen_at, true)
        then coalesce(dormant.last_seen_at, seen_before.last_seen_at)
        else seen_before.last_seen_at
    end as last_seen_at,
    dormant.resource_kind,
    dormant.ip_address,
    dormant.subject_id,
    dormant.user_id,
    dormant.account,
    dormant.event_key,
    dormant.source
from dormant
left join seen_before
    on seen_before.source = dormant.source
    and seen_before.subject_id = dormant.subject_id
left join first_events on first_events.source = dormant.source
where dormant.last_seen_at is not null
   or seen_before.last_seen_at is not null
   or dormant.event_time >= first_events.first_at + cast($learning_hours as integer) * interval '1' hour
order by
    event_time, actor, subject, operation, object, last_seen_at, resource_kind, ip_address, subject_id,
    user_id, account, event_key, source
