-- title: Repeatedly blocked sign-ins
-- question: Which users or addresses had repeatedly blocked sign-ins within an hour?
-- family: denials
-- grain: one row per blocked sign-in that brings its account or address to the limit within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: blocked integer = 5
-- param: minutes integer = 60
-- detection: low
-- attack: T1078.004
-- key: source, user_id, account, address
-- subject: user actor
-- at: last_at
-- reach: 1h
-- measure: blocked >= $blocked
-- window: first_at
-- condition: {blocked} sign-ins of one account, or from one address, are blocked within {minutes} min.
-- message: {blocked} sign-ins of {actor} were blocked within an hour
-- next: auditlake report run sign_ins_blocked_by_address --since {last_at:date}
-- runbook: Check whether the address belongs to one of your networks and is missing from the address list, or whether someone else uses the password.
-- A sign-in counts for its account and for its address; rows of an address name no account.
with
blocked_in_range as (
    select
        source, user_id, event_key, event_time, canonical_name, ip_address, actor,
        case when user_id is null then actor_email end as account, cast(null as varchar) as address
    from denials
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and canonical_name in ('sign_in_failed_by_ipwhitelist', 'sign_in_failed_by_private_connect')
),
subjects as (
    select source, user_id, event_key, event_time, canonical_name, ip_address, actor, account, address
    from blocked_in_range
    where user_id is not null or account is not null
    union all
    select
        source, cast(null as bigint) as user_id, event_key, event_time, canonical_name, ip_address,
        'address ' || ip_address as actor, cast(null as varchar) as account, ip_address as address
    from blocked_in_range
    where ip_address <> ''
      and ip_address <> 'internal'
),
counted as (
    select
        source, user_id, event_key, event_time, canonical_name, ip_address, actor, account, address,
        count(*) over last_minutes as blocked,
        min(event_time) over last_minutes as first_at
    from subjects
    window last_minutes as (
        partition by source, user_id, account, address
        order by event_time
        range between cast($minutes as integer) * interval '1' minute preceding and current row
    )
)
select
    event_time as last_at,
    actor,
    blocked,
    first_at,
    canonical_name as event_name,
    ip_address,
    user_id,
    account,
    address,
    event_key,
    source
from counted
where blocked >= cast($blocked as integer)
  and event_time >= cast($since as timestamp)
order by last_at, actor, blocked, first_at, event_name, ip_address, user_id, account, address, event_key, source
