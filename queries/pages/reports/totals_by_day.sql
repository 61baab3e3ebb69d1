-- title: Totals by day
-- question: How much of what a security team watches happened each day?
-- grain: one row per day, by the clocks of the time zone
-- param: since timestamp = 31d
-- param: until timestamp = now
-- param: timezone text = default
-- Days without events have a row of zeros. new_addresses counts addresses that are new in the log.
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
moments as (
    select
        source, event_time, denial_kind,
        outcome in ('denied', 'failed') as is_denial,
        case when outcome = 'succeeded' then bytesize end as downloaded_bytes,
        null as operation, false as is_grant, false as is_new_address
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (outcome in ('denied', 'failed') or canonical_name = 'job_result_download')
    union all
    select source, event_time, null, false, null, operation, true, false
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
    union all
    select source, first_seen_at, null, false, null, null, false, true
    from sightings
    where first_seen_at >= cast($since as timestamp)
      and first_seen_at < cast($until as timestamp)
      and subject_kind = 'address'
),
counted as (
    select
        cast(event_time + zone.offset_minutes * interval '1' minute as date) as day,
        count(*) filter (where is_denial and denial_kind = 'failed_sign_in') as failed_sign_ins,
        count(*) filter (where is_denial and denial_kind is distinct from 'failed_sign_in') as other_denials,
        count(*) filter (where is_grant) as rights_granted,
        count(*) filter (where is_grant and operation = 'manage') as manage_granted,
        sum(downloaded_bytes) filter (where not is_denial) as downloaded_bytes,
        count(*) filter (where is_new_address) as new_addresses
    from moments
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
    group by day
),
ends as (
    select
        cast(moment + zone.offset_minutes * interval '1' minute as date) as day
    from (
        select unnest([cast($since as timestamp), cast($until as timestamp) - interval '1' microsecond]) as moment
    )
    inner join zone on zone.valid_from <= moment and zone.valid_to > moment
),
days as (
    select cast(unnest(generate_series(min(day), max(day), interval '1' day)) as date) as day
    from ends
)
select
    days.day,
    coalesce(counted.failed_sign_ins, 0) as failed_sign_ins,
    coalesce(counted.other_denials, 0) as other_denials,
    coalesce(counted.rights_granted, 0) as rights_granted,
    coalesce(counted.manage_granted, 0) as manage_granted,
    cast(coalesce(counted.downloaded_bytes, 0) as bigint) as downloaded_bytes,
    coalesce(counted.new_addresses, 0) as new_addresses
from days
left join counted on counted.day = days.day
order by days.day
