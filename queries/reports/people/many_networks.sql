-- title: Sign-ins from many networks
-- question: Who signed in from several networks within an hour?
-- family: people
-- grain: one row per sign-in that brings an account to the number of networks within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: least integer = 4
-- param: minutes integer = 60
-- detection: medium
-- attack: T1539
-- key: source, user_id, account
-- subject: user actor
-- at: last_at
-- reach: 1h
-- measure: networks >= $least
-- window: first_at
-- condition: An account signs in from {least} networks within {minutes} min.
-- message: {actor} signed in from {networks} networks within an hour
-- next: auditlake investigate --user {actor} --during {last_at:date}
-- runbook: Check whether the networks belong to a mobile carrier or a VPN of the person. If not, revoke the sessions.
-- A network is the first half of an IPv4 address, and the first two groups of an IPv6 address.
with
sign_ins as (
    select
        source, user_id, event_key, event_time, canonical_name, actor, ip_address,
        case when user_id is null then actor_email end as account,
        -- An IPv4 address written as IPv6 is the IPv4 address.
        case when lower(ip_address) like '::ffff:%.%' then substring(ip_address from 8) else lower(ip_address) end
            as address
    from events
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in')
      and outcome = 'succeeded'
      and (ip_address like '%.%' or ip_address like '%:%')
      and (user_id is not null or actor_email is not null)
),
halves as (
    select
        source, event_key,
        case when address like '%:%' then split_part(address, ':', 1) else split_part(address, '.', 1) end as first_part,
        case
            when address like '%:%' then split_part(substring(address from position(':' in address) + 1), ':', 1)
            else split_part(substring(address from position('.' in address) + 1), '.', 1)
        end as second_part,
        case when address like '%:%' then 'IPv6' else 'IPv4' end as family
    from sign_ins
),
uses as (
    select
        s.source, s.user_id, s.account, cast(null as varchar) as subject,
        h.family || ' ' || trim(leading '0' from h.first_part) || ' ' || trim(leading '0' from h.second_part) as thing,
        s.event_key, s.event_time, s.canonical_name, s.actor, s.ip_address,
        s.event_time + cast($minutes as integer) * interval '1' minute as counts_until,
        min(s.event_time) over (
            partition by s.source, s.user_id, s.account
            order by s.event_time
            range between cast($minutes as integer) * interval '1' minute preceding and current row
        ) as first_at
    from sign_ins as s
    inner join halves as h on h.source = s.source and h.event_key = s.event_key
),
-- part: different_within
reached as (
    select source, event_key, different
    from differences
    where different >= cast($least as integer)
)
select
    u.event_time as last_at,
    u.actor,
    cast(r.different as bigint) as networks,
    u.first_at,
    u.ip_address,
    u.canonical_name as event_name,
    u.user_id,
    u.account,
    u.event_key,
    u.source
from reached as r
inner join uses as u on u.source = r.source and u.event_key = r.event_key
where u.event_time >= cast($since as timestamp)
order by last_at, actor, networks, first_at, ip_address, event_name, user_id, account, event_key, source
