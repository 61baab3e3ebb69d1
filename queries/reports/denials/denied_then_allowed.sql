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
-- Events without an id of their object or of their user are few; the others are read for their denials first.
incomplete as (
    select
        source, user_id, case when user_id is null then actor_email end as account, event_key, event_time, canonical_name,
        area, outcome, resource_type, nullif(resource_id, '') as resource_id, path, ip_address, actor
    from events
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and outcome in ('denied', 'succeeded')
      and (coalesce(resource_id, '') = '' or user_id is null)
      and (user_id is not null or user_email <> '')
      and coalesce(denial_kind, 'none') <> 'failed_sign_in'
),
-- The last four parts of each path, read from its end.
first_cut as (
    select path, reverse(replace(split_part(split_part(path, '?', 1), '#', 1), '.json', '')) as backwards
    from (select distinct path from incomplete where resource_id is null) as paths
),
second_cut as (
    select
        path, split_part(backwards, '/', 1) as part_1,
        substring(backwards from length(split_part(backwards, '/', 1)) + 2) as rest
    from first_cut
),
third_cut as (
    select
        path, part_1, split_part(rest, '/', 1) as part_2,
        substring(rest from length(split_part(rest, '/', 1)) + 2) as rest
    from second_cut
),
fourth_cut as (
    select
        path, part_1, part_2, split_part(rest, '/', 1) as part_3,
        split_part(substring(rest from length(split_part(rest, '/', 1)) + 2), '/', 1) as part_4
    from third_cut
),
path_ids as (
    select
        path,
        reverse(case
            when part_1 <> '' and trim(both '0123456789' from part_1) = '' then part_1
            when part_2 <> '' and trim(both '0123456789' from part_2) = '' then part_2
            when part_3 <> '' and trim(both '0123456789' from part_3) = '' then part_3
            when part_4 <> '' and trim(both '0123456789' from part_4) = '' then part_4
        end) as path_id
    from fourth_cut
),
by_path as (
    select
        i.source, i.user_id, i.account, i.event_key, i.event_time, i.canonical_name, i.area, i.outcome, i.resource_type,
        coalesce(i.resource_id, p.path_id) as object_id, i.ip_address, i.actor
    from incomplete as i
    left join path_ids as p on p.path = i.path
    where coalesce(i.resource_id, p.path_id) is not null
),
denials as (
    select
        source, user_id, cast(null as varchar) as account, event_key, event_time, canonical_name, area, resource_type,
        resource_id as object_id
    from events
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and outcome = 'denied'
      and resource_id <> ''
      and user_id is not null
      and coalesce(denial_kind, 'none') <> 'failed_sign_in'
    union all
    select source, user_id, account, event_key, event_time, canonical_name, area, resource_type, object_id
    from by_path
    where outcome = 'denied'
),
denied as (
    select
        source, user_id, account, event_key, event_time, nullif(resource_type, '') as resource_type, object_id,
        case when canonical_name = 'unauthorized' or area like 'Permission denial records%' then null else area end as area
    from denials
    where coalesce(canonical_name, 'unknown') not in ('sign_in', 'sign_in_reporting', 'paas_sign_in', 'password_revalidate')
),
successes as (
    select
        e.source, e.user_id, cast(null as varchar) as account, e.event_key, e.event_time, e.canonical_name, e.area,
        e.resource_type, o.object_id, e.ip_address, e.actor
    from events as e
    inner join (select distinct source, user_id, object_id from denied) as o
        on o.source = e.source and o.user_id = e.user_id and o.object_id = e.resource_id
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.outcome = 'succeeded'
    union all
    select
        source, user_id, account, event_key, event_time, canonical_name, area, resource_type, object_id, ip_address, actor
    from by_path
    where outcome = 'succeeded'
      and event_time >= cast($since as timestamp)
),
pairs as (
    select
        s.source, s.user_id, s.account, s.event_key, s.event_time, s.canonical_name, s.ip_address, s.actor, s.object_id,
        d.event_key as denied_key, d.event_time as denied_at
    from successes as s
    inner join denied as d
        on d.source = s.source
        and d.user_id is not distinct from s.user_id
        and d.account is not distinct from s.account
        and d.object_id = s.object_id
        and d.event_time < s.event_time
        and d.event_time >= s.event_time - cast($hours as integer) * interval '1' hour
    where coalesce(s.canonical_name, 'unknown') not in ('sign_in', 'sign_in_reporting', 'paas_sign_in', 'password_revalidate')
      and coalesce(
          d.area = case
              when s.canonical_name = 'unauthorized' or s.area like 'Permission denial records%' then null
              else s.area
          end,
          true
      )
      and coalesce(d.resource_type = nullif(s.resource_type, ''), true)
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
