-- title: Denied, then allowed
-- question: Who was denied on an object and then succeeded on it?
-- family: denials
-- grain: one row per success on an object on which the user was denied within the hours before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: denials integer = 1
-- param: hours integer = 24
-- detection: high
-- attack: T1548
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 1d
-- measure: denials >= $denials
-- evidence: shown_events
-- condition: A person is denied on an object at least {denials} time, and within {hours} h succeeds on the same object.
-- message: {actor} was denied on {object_id} and then succeeded with {event_name}
-- next: auditlake investigate --user {actor} --during {denied_at:date}
-- runbook: Look for the permission that the person received in between, and who gave it.
-- An object is identified by its id, else by the last number in the path. The area and, if both events record it, the
-- kind of the resource distinguish objects with one id; denied columns and the event `unauthorized` match any area.
-- Sign-ins do not count.
with
attempts as (
    select
        source, user_id, event_key, event_time, canonical_name, area, outcome, ip_address, actor,
        case when user_id is null then actor_email end as account,
        coalesce('user ' || cast(user_id as varchar), actor_email) as person,
        nullif(resource_type, '') as resource_type, nullif(resource_id, '') as resource_id,
        case when coalesce(resource_id, '') = '' then
            replace(split_part(split_part(path, '?', 1), '#', 1), '.json', '')
        end as path
    from events
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and outcome in ('denied', 'succeeded')
      and (user_id is not null or actor_email is not null)
      and coalesce(denial_kind, 'none') <> 'failed_sign_in'
      and coalesce(canonical_name, 'unknown') not in ('sign_in', 'sign_in_reporting', 'paas_sign_in', 'password_revalidate')
),
-- The last four parts of the path, read from its end.
first_cut as (
    select source, event_key, reverse(path) as backwards
    from attempts
    where resource_id is null
),
second_cut as (
    select
        source, event_key, split_part(backwards, '/', 1) as part_1,
        substring(backwards from length(split_part(backwards, '/', 1)) + 2) as rest
    from first_cut
),
third_cut as (
    select
        source, event_key, part_1, split_part(rest, '/', 1) as part_2,
        substring(rest from length(split_part(rest, '/', 1)) + 2) as rest
    from second_cut
),
fourth_cut as (
    select
        source, event_key, part_1, part_2, split_part(rest, '/', 1) as part_3,
        split_part(substring(rest from length(split_part(rest, '/', 1)) + 2), '/', 1) as part_4
    from third_cut
),
path_ids as (
    select
        source, event_key,
        reverse(case
            when part_1 <> '' and trim(both '0123456789' from part_1) = '' then part_1
            when part_2 <> '' and trim(both '0123456789' from part_2) = '' then part_2
            when part_3 <> '' and trim(both '0123456789' from part_3) = '' then part_3
            when part_4 <> '' and trim(both '0123456789' from part_4) = '' then part_4
        end) as path_id
    from fourth_cut
),
named as (
    select
        a.source, a.user_id, a.account, a.person, a.event_key, a.event_time, a.canonical_name, a.outcome, a.ip_address,
        a.actor, a.resource_type, coalesce(a.resource_id, p.path_id) as object_id,
        case
            when a.canonical_name = 'unauthorized' or a.area like 'Permission denial records%' then null
            else a.area
        end as area
    from attempts as a
    left join path_ids as p on p.source = a.source and p.event_key = a.event_key
    where coalesce(a.resource_id, p.path_id) is not null
),
denied as (
    select source, person, event_key, event_time, area, resource_type, object_id
    from named
    where outcome = 'denied'
),
pairs as (
    select
        s.source, s.user_id, s.account, s.event_key, s.event_time, s.canonical_name, s.ip_address, s.actor, s.object_id,
        d.event_key as denied_key, d.event_time as denied_at
    from named as s
    inner join denied as d
        on d.source = s.source
        and d.person = s.person
        and d.object_id = s.object_id
        and d.event_time < s.event_time
        and d.event_time >= s.event_time - cast($hours as integer) * interval '1' hour
    where s.outcome = 'succeeded'
      and s.event_time >= cast($since as timestamp)
      and coalesce(d.area = s.area, true)
      and coalesce(d.resource_type = s.resource_type, true)
),
allowed as (
    select
        source, user_id, account, event_key, event_time, canonical_name, ip_address, actor, object_id,
        count(*) as denials,
        max(denied_at) as denied_at
    from pairs
    group by source, user_id, account, event_key, event_time, canonical_name, ip_address, actor, object_id
),
shown_events as (
    select event_key as hit_key, event_key from pairs
    union all
    select event_key as hit_key, denied_key as event_key from pairs
)
select
    event_time,
    actor,
    object_id,
    canonical_name as event_name,
    denials,
    denied_at,
    ip_address,
    user_id,
    account,
    event_key,
    source
from allowed
where denials >= cast($denials as integer)
order by event_time, actor, object_id, event_name, denials, denied_at, ip_address, user_id, account, event_key, source
