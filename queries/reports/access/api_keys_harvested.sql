-- title: API keys of many users read
-- question: Who read the API keys of several users within an hour?
-- family: access
-- grain: one row per key read that brings a user to the number of owners within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: owners integer = 5
-- param: minutes integer = 60
-- detection: high
-- attack: T1555
-- key: source, user_id, account
-- subject: user actor
-- at: last_at
-- reach: all
-- measure: owners >= $owners
-- window: first_at
-- condition: A person reads the API keys of {owners} users within {minutes} min.
-- message: {actor} read the API keys of {owners} users within an hour
-- next: auditlake investigate --user {actor} --during {last_at:date}
-- runbook: Check whether a migration or an audit of keys explains it. If not, replace the keys that were read.
with
key_events as (
    select
        source, user_id, event_key, event_time, actor_email, actor, ip_address, path, affected_user_id, affected_user
    from events
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and canonical_name = 'user_apikey_download'
      and outcome = 'succeeded'
      and (user_id is not null or actor_email is not null)
),
-- part: owners
-- part: email_owners
-- part: key_owners
uses as (
    select
        k.source, k.user_id, case when k.user_id is null then k.actor_email end as account,
        cast(null as varchar) as subject, coalesce('user ' || cast(o.owner_id as varchar), o.owner_email) as thing,
        coalesce(o.owner_email, 'user ' || cast(o.owner_id as varchar)) as last_owner,
        k.event_key, k.event_time, k.actor, k.ip_address,
        k.event_time + cast($minutes as integer) * interval '1' minute as counts_until,
        min(k.event_time) over (
            partition by k.source, k.user_id, case when k.user_id is null then k.actor_email end
            order by k.event_time
            range between cast($minutes as integer) * interval '1' minute preceding and current row
        ) as first_at
    from key_events as k
    inner join key_owners as o on o.source = k.source and o.event_key = k.event_key
    where o.owner_id is not null
       or o.owner_email is not null
),
-- part: different_within
reached as (
    select source, event_key, different
    from differences
    where different >= cast($owners as integer)
)
select
    u.event_time as last_at,
    u.actor,
    cast(r.different as bigint) as owners,
    u.first_at,
    u.last_owner,
    u.ip_address,
    u.user_id,
    u.account,
    u.event_key,
    u.source
from reached as r
inner join uses as u on u.source = r.source and u.event_key = r.event_key
where u.event_time >= cast($since as timestamp)
order by last_at, actor, owners, first_at, last_owner, ip_address, user_id, account, event_key, source
