-- Statements to begin with on the SQL page; each runs on its own.

-- name: failed_sign_ins_by_day
select event_date as day, count(*) as failed
from events
where denial_kind = 'failed_sign_in'
group by event_date
order by day;

-- name: largest_downloads_by_person
select actor, count(*) as downloads, sum(bytesize) as bytes
from events
where event_name = 'job_result_download'
group by actor
order by bytes desc nulls last, actor
limit 20;

-- name: latest_events_of_a_person
select event_time, event_name, outcome, ip_address, resource_name
from events
where actor = (select actor from events where actor_email is not null group by actor order by count(*) desc, actor limit 1)
order by event_time desc, event_key
limit 100;

-- name: rights_granted_per_week
select date_trunc('week', event_time)::date as week, actor, count(*) as granted
from permission_changes
where change = 'granted'
group by all
order by week, granted desc, actor;

-- name: jobs_longer_than_an_hour
select job_id, job_name, actor, database_name, started_at, duration_seconds
from query_jobs
where duration_seconds > 3600
order by duration_seconds desc, job_id;

-- name: addresses_of_several_people
select ip_address, count(distinct actor) as people, count(*) as events
from events
where ip_address is not null
group by ip_address
having count(distinct actor) > 1
order by people desc, ip_address;

-- name: most_read_tables
select database_name, table_name, count(distinct job_id) as jobs
from query_tables
where access = 'read'
group by database_name, table_name
order by jobs desc, database_name, table_name
limit 50;

-- name: denials_per_thousand_events
select
    event_date as day,
    round(1000.0 * count(*) filter (where outcome = 'denied') / count(*), 1) as per_thousand
from events
group by event_date
order by day;

-- name: first_event_of_each_address
select ip_address, min(event_time) as first_seen, arg_min(actor, event_time) as first_person
from events
where ip_address is not null
group by ip_address
order by first_seen desc, ip_address;

-- name: unknown_event_types
select event_name, count(*) as events, min(event_time) as first_seen
from events
where catalog_match = 'unknown_event'
group by event_name
order by events desc, event_name;
