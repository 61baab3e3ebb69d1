-- name: slots
-- How many of the subject's events of each quarter of an hour were of which lane, outcome and kind of denial. Clocks of
-- people are whole quarters of an hour ahead of UTC.
select
    epoch_ms(time_bucket(interval '15 minutes', event_time)) as slot_ms,
-- part: slot_facts

-- name: moments
-- The same of each second, for a short range.
select
    epoch_ms(date_trunc('second', event_time)) as slot_ms,
-- part: slot_facts

-- name: addresses
-- Addresses with their events, denied or failed events, and other users in the range. The word internal is not an
-- address and has no count of users.
with
used as (
    select
        source, ip_address, count(*) as events,
        count(*) filter (where outcome in ('denied', 'failed')) as refused,
        min(event_time) as first_at, max(event_time) as last_at
    from subject_events
    group by source, ip_address
),
-- As recorded first, so that names are looked up for few rows.
users as (
    select e.source, e.ip_address, e.user_id, e.user_email
    from event_rows as e
    where e.event_time >= $since::timestamp
      and e.event_time < $until::timestamp
      and e.ip_address in (select u.ip_address from used as u where u.ip_address <> 'internal')
      and (e.user_id is not null or e.user_email <> '')
    group by e.source, e.ip_address, e.user_id, e.user_email
),
named as (
    select distinct
        u.source, u.ip_address,
        lower(coalesce(nullif(u.user_email, ''), k.email, 'user ' || cast(u.user_id as varchar))) as actor
    from users as u
    left join last_known_users as k on k.source = u.source and k.user_id = u.user_id
),
others as (
    select n.source, n.ip_address, count(*) as people
    from named as n
    where n.actor not in (select s.actor from subject_events as s)
    group by n.source, n.ip_address
)
select
    u.ip_address, sum(u.events)::bigint as events, sum(u.refused)::bigint as refused,
    coalesce(sum(o.people), 0)::bigint as others,
    epoch_ms(min(u.first_at)) as first_ms, epoch_ms(max(u.last_at)) as last_ms,
    epoch_ms(min(s.first_seen_at)) as seen_ms,
    -- In the first week of the log everything is new.
    coalesce(
        min(s.first_seen_at) >= greatest(
            $since::timestamp, (select min(a.first_seen_at) + interval 7 day from sightings as a)
        ),
        false
    ) as is_new
from used as u
left join others as o on o.source = u.source and o.ip_address = u.ip_address
left join sightings as s on s.source = u.source and s.subject_kind = 'address' and s.subject = u.ip_address
group by u.ip_address
order by events desc, u.ip_address;

-- name: people
-- Who did it.
select
    actor, min(user_id) as user_id, count(*) as events, count(*) filter (where outcome in ('denied', 'failed')) as refused,
    sum(bytesize) filter (where event_name = 'job_result_download' and outcome = 'succeeded')::bigint as bytes,
    epoch_ms(min(event_time)) as first_ms, epoch_ms(max(event_time)) as last_ms
from subject_events
group by actor
order by events desc, actor;

-- name: names
-- What it was, by the names of events.
select
    event_name, count(*) as events, count(*) filter (where outcome in ('denied', 'failed')) as refused,
    epoch_ms(min(event_time)) as first_ms, epoch_ms(max(event_time)) as last_ms
from subject_events
group by event_name
order by events desc, event_name;

-- name: databases
-- On which databases: downloaded results with their bytes, and all events.
select
    database_name, count(*) as events,
    count(*) filter (where event_name = 'job_result_download' and outcome = 'succeeded') as results,
    sum(bytesize) filter (where event_name = 'job_result_download' and outcome = 'succeeded')::bigint as bytes,
    epoch_ms(max(event_time)) as last_ms
from subject_events
where database_name is not null
group by database_name
order by bytes desc nulls last, events desc, database_name;
