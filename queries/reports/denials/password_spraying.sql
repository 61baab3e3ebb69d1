-- title: Password spraying
-- question: From which addresses did sign-ins of many accounts fail?
-- family: denials
-- grain: one row per failed sign-in that brings an address to the number of accounts within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: accounts integer = 10
-- param: minutes integer = 60
-- detection: medium
-- attack: T1110.003
-- key: source, ip_address
-- subject: address ip_address
-- at: last_at
-- reach: 1h
-- measure: accounts >= $accounts
-- window: first_at
-- condition: Sign-ins of {accounts} accounts fail from one address within {minutes} min.
-- message: Sign-ins of {accounts} accounts failed from {ip_address} within an hour
-- next: auditlake investigate --address {ip_address} --during {last_at:date}
-- runbook: Check whether the address belongs to an office or a proxy, and whether a sign-in from it succeeded afterwards.
with
uses as (
    select
        source, cast(null as bigint) as user_id, cast(null as varchar) as account, ip_address as subject,
        coalesce('user ' || cast(user_id as varchar), actor_email) as thing, event_key, event_time, actor,
        event_time + cast($minutes as integer) * interval '1' minute as counts_until,
        min(event_time) over (
            partition by source, ip_address
            order by event_time
            range between cast($minutes as integer) * interval '1' minute preceding and current row
        ) as first_at
    from denials
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and denial_kind = 'failed_sign_in'
      and ip_address <> ''
      and ip_address <> 'internal'
      and (user_id is not null or actor_email is not null)
),
-- part: different_within
sprayed as (
    select source, event_key, different
    from differences
    where different >= cast($accounts as integer)
)
select
    u.event_time as last_at,
    u.subject as ip_address,
    cast(s.different as bigint) as accounts,
    u.first_at,
    u.actor as last_account,
    u.event_key,
    u.source
from sprayed as s
inner join uses as u on u.source = s.source and u.event_key = s.event_key
where u.event_time >= cast($since as timestamp)
order by last_at, ip_address, accounts, first_at, last_account, event_key, source
