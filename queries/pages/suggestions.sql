-- name: user
-- People of the directory.
select email as value
from users
where email is not null and ($source is null or source = $source)
group by email
order by email
limit 500;

-- name: database
-- Databases of the last 30 days of the log, the most used first.
select database_name as value
from events
where database_name is not null
  and event_time >= (select max(event_time) from events) - interval 30 days
  and ($source is null or source = $source)
group by database_name
order by count(*) desc, database_name
limit 200;

-- name: timezone
select timezone as value
from timezone_offsets
where $source is null or $source is not null
group by timezone
order by timezone;
