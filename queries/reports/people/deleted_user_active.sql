-- title: Activity of deleted users
-- question: Which users acted after they were deleted?
-- family: people
-- grain: one row per event of a user after their deletion, from an address, without a later invitation
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: critical
-- attack: T1078.004
-- key: source, user_id
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A user acts from an address after their account was deleted, without a later invitation.
-- message: {actor} acted after the account was deleted
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Revoke the keys and sessions of the user, and check who deleted the account and whether it was restored.
-- A deletion names its user by id, else by an e-mail that the directory knows.
with
-- part: owners
-- part: email_owners
account_events as (
    select source, event_time, canonical_name, resource_id, resource_name, affected_user_id, affected_user, path
    from events
    where event_time < cast($until as timestamp)
      and canonical_name in ('user_delete', 'user_invite')
      and outcome = 'succeeded'
),
deletions as (
    select
        source, event_time,
        case when resource_id like '%@%' then null else nullif(resource_id, '') end as resource_id,
        cast(affected_user_id as varchar) as affected_user_id,
        case
            when path like '%/user/remove/%'
            then split_part(split_part(substring(path from position('/user/remove/' in path) + 13), '?', 1), '/', 1)
        end as path_email,
        case when path like '%users/%'
        then split_part(split_part(split_part(
            substring(path from position('users/' in path) + 6), '?', 1
        ), '/', 1), '.', 1) end as path_id,
        case
            when resource_id like '%@%' then resource_id
            when affected_user like '%@%' then affected_user
            when resource_name like '%@%' then resource_name
        end as email
    from account_events
    where canonical_name = 'user_delete'
),
deleted as (
    select
        d.source, d.event_time,
        coalesce(d.resource_id, d.affected_user_id, d.path_id, cast(o.user_id as varchar)) as user_id
    from deletions as d
    left join email_owners as o
        on o.source = d.source
        and o.email = lower(coalesce(d.email, replace(replace(lower(d.path_email), '%40', '@'), '%2b', '+')))
),
invitations as (
    select source, resource_id as user_id, event_time
    from account_events
    where canonical_name = 'user_invite'
),
acts as (
    select
        e.source, e.user_id, e.event_key, e.event_time, e.actor, e.ip_address, e.canonical_name, e.resource_name,
        max(d.event_time) as deleted_at
    from events as e
    inner join deleted as d
        on d.source = e.source and d.user_id = cast(e.user_id as varchar) and d.event_time < e.event_time
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.outcome not in ('denied', 'failed')
      and e.ip_address <> ''
      and e.ip_address <> 'internal'
    group by
        e.source, e.user_id, e.event_key, e.event_time, e.actor, e.ip_address, e.canonical_name, e.resource_name
)
select
    a.event_time,
    a.actor,
    a.canonical_name as event_name,
    a.resource_name,
    a.ip_address,
    a.deleted_at,
    a.user_id,
    a.event_key,
    a.source
from acts as a
where not exists (
    select 1
    from invitations as i
    where i.source = a.source
      and i.user_id = cast(a.user_id as varchar)
      and i.event_time >= a.deleted_at
      and i.event_time <= a.event_time
)
order by event_time, actor, event_name, resource_name, ip_address, deleted_at, user_id, event_key, source
