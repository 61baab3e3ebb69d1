-- title: At which hours are people denied?
-- family: denials
-- grain: one row per hour of the day, UTC
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bar hour_of_day denials
with
found as (
    select
        source, denial_kind,
        extract(hour from event_time) as hour_of_day,
        mod(date_diff('day', date '1900-01-01', cast(event_time as date)), 7) >= 5 as at_weekend,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    hour_of_day,
    count(*) as denials,
    count(*) filter (where denial_kind = 'failed_sign_in') as failed_sign_ins,
    count(*) filter (where at_weekend) as at_weekends,
    count(distinct actor) as actors,
    source
from found
group by source, hour_of_day
order by hour_of_day, source
