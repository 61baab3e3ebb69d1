-- title: Large result downloads
-- question: Who downloaded far more than before within a day?
-- family: egress
-- grain: one row per download that brings the bytes of its user within the hours before it to the limits
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: bytes integer = 1000000000
-- param: times integer = 10
-- param: usual_bytes integer = 100000000
-- param: hours integer = 24
-- param: days integer = 30
-- detection: medium
-- attack: T1567
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 32d
-- measure: bytes >= $bytes
-- measure: times_usual >= $times
-- window: first_at
-- condition: A person downloads {bytes:bytes} within {hours} h, and {times} times the maximum of the {days} days before (at least {usual_bytes:bytes}).
-- message: {actor} downloaded {bytes:bytes} within a day, at least {times_usual} times as much as before
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check which results were downloaded and whether their owner knows of it.
-- The usual amount is the maximum over such hours that ended in the days before those of the row, but at least
-- usual_bytes.
with
downloads as (
    select
        source, user_id, event_key, event_time, coalesce(bytesize, 0) as bytesize, ip_address, actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        coalesce(cast(user_id as varchar), actor_email, nullif(ip_address, 'internal'), 'unknown') as person
    from events
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '2' hour
          - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and canonical_name = 'job_result_download'
      and outcome = 'succeeded'
),
summed as (
    select
        source, user_id, event_key, event_time, ip_address, actor, account, person,
        cast(sum(bytesize) over last_hours as bigint) as bytes,
        count(*) over last_hours as downloads,
        min(event_time) over last_hours as first_at
    from downloads
    window last_hours as (
        partition by source, person
        order by event_time
        range between cast($hours as integer) * interval '1' hour preceding and current row
    )
),
large as (
    select source, user_id, event_key, event_time, ip_address, actor, account, person, bytes, downloads, first_at
    from summed
    where bytes >= cast($bytes as bigint)
      and event_time >= cast($since as timestamp)
),
compared as (
    select
        l.source, l.user_id, l.event_key, l.event_time, l.ip_address, l.actor, l.account, l.bytes, l.downloads, l.first_at,
        coalesce(max(s.bytes), 0) as largest_before
    from large as l
    left join summed as s
        on s.source = l.source and s.person = l.person
        and s.event_time < l.event_time - cast($hours as integer) * interval '1' hour
        and s.event_time >= l.event_time - cast($hours as integer) * interval '1' hour
            - cast($days as integer) * interval '1' day
    group by
        l.source, l.user_id, l.event_key, l.event_time, l.ip_address, l.actor, l.account, l.bytes, l.downloads, l.first_at
),
rated as (
    select
        source, user_id, event_key, event_time, ip_address, actor, account, bytes, downloads, first_at, largest_before,
        cast(floor(cast(bytes as double) / case
            when largest_before > cast($usual_bytes as bigint) then largest_before
            else cast($usual_bytes as bigint)
        end) as bigint) as full_times
    from compared
)
select
    event_time,
    actor,
    bytes,
    downloads,
    largest_before,
    case when full_times < 1 then 1 else full_times end as times_usual,
    first_at,
    ip_address,
    user_id,
    account,
    event_key,
    source
from rated
where case when full_times < 1 then 1 else full_times end >= cast($times as integer)
order by
    event_time, actor, bytes, downloads, largest_before, times_usual, first_at, ip_address, user_id, account, event_key, source
