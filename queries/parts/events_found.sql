-- The events that were found, with the columns of pages about a subject. By the time alone, which leads to what is read.
moments_of_it as (
    select event_time
    from found
    group by event_time
    having count(*) > 0
),
seconds as (
    select
-- part: subject_columns
        e.source, e.event_key
    from events as e
    where e.event_time >= $since::timestamp
      and e.event_time < $until::timestamp
      and e.event_time in (select m.event_time from moments_of_it as m)
)
select
    e.source, e.event_time, e.user_id, e.actor, e.ip_address, e.event_name, e.area, e.outcome, e.denial_kind, e.bytesize,
    e.database_name
from seconds as e
inner join found as f on f.source = e.source and f.event_time = e.event_time and f.event_key = e.event_key;
