-- title: Slow password guessing
-- question: Which accounts had many failed sign-ins within a day?
-- family: denials
-- grain: one row per failed sign-in that brings its account to the limit within the hours before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: failures integer = 20
-- param: hours integer = 24
-- detection: medium
-- attack: T1110.001
-- key: source, user_id, account
-- subject: user actor
-- at: last_at
-- reach: 1d
-- measure: failures >= $failures
-- window: first_at
-- condition: {failures} sign-ins of one account fail within {hours} h.
-- message: {failures} sign-ins of {actor} failed within a day
-- next: auditlake investigate --user {actor} --during {last_at:date}
-- runbook: Check the addresses of the failures and whether a sign-in succeeded. A script with an old password fails at even intervals from one address.
-- Sign-ins blocked by an address list or private connect do not count; see blocked_sign_ins.
with
failed as (
    select
        source, user_id, event_key, event_time, canonical_name, ip_address, actor,
        case when user_id is null then actor_email end as account
    from denials
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and denial_kind = 'failed_sign_in'
      and coalesce(canonical_name, 'unknown')
          not in ('sign_in_failed_by_ipwhitelist', 'sign_in_failed_by_private_connect')
      and (user_id is not null or actor_email is not null)
),
counted as (
    select
        source, user_id, event_key, event_time, canonical_name, ip_address, actor, account,
        count(*) over last_hours as failures,
        min(event_time) over last_hours as first_at
    from failed
    window last_hours as (
        partition by source, user_id, account
        order by event_time
        range between cast($hours as integer) * interval '1' hour preceding and current row
    )
)
select
    event_time as last_at,
    actor,
    failures,
    first_at,
    canonical_name as event_name,
    ip_address,
    user_id,
    account,
    event_key,
    source
from counted
where failures >= cast($failures as integer)
  and event_time >= cast($since as timestamp)
order by last_at, actor, failures, first_at, event_name, ip_address, user_id, account, event_key, source
