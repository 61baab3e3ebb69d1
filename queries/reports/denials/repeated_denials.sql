-- title: Repeated denials
-- question: Who was denied repeatedly within an hour?
-- family: denials
-- grain: one row per denial that brings its user to the limit within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: denials integer = 25
-- param: minutes integer = 60
-- detection: medium
-- attack: T1087.004
-- key: source, user_id, account
-- subject: user actor
-- at: last_at
-- reach: 1h
-- measure: denials >= $denials
-- window: first_at
-- condition: A person or address is denied {denials} times within {minutes} min.
-- message: {actor} was denied {denials} times within an hour
-- next: auditlake investigate --user {actor} --during {last_at:date}
-- runbook: Check which resources were refused, and whether a job or a person made the requests.
with
denials_in_range as (
    select
        source, user_id, event_key, event_time, denial_kind, ip_address,
        case when user_id is null then coalesce(actor_email, nullif(nullif(ip_address, ''), 'internal'), 'unknown') end
            as account,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'address ' || nullif(nullif(ip_address, ''), 'internal'), 'unknown')
            as actor
    from denials
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
),
counted as (
    select
        source, user_id, event_key, event_time, denial_kind, ip_address, account, actor,
        count(*) over last_minutes as denials,
        min(event_time) over last_minutes as first_at
    from denials_in_range
    window last_minutes as (
        partition by source, user_id, account
        order by event_time
        range between cast($minutes as integer) * interval '1' minute preceding and current row
    )
)
select
    event_time as last_at,
    actor,
    denials,
    first_at,
    denial_kind,
    ip_address,
    user_id,
    account,
    event_key,
    source
from counted
where denials >= cast($denials as integer)
  and event_time >= cast($since as timestamp)
order by last_at, actor, denials, first_at, denial_kind, ip_address, user_id, account, event_key, source
