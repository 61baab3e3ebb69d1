-- name: findings
-- Open findings of the two highest severities: the number beside Findings in the navigation.
select count(*) as urgent
from findings
where state = 'open'
  and suppressed_by is null
  and severity in ('critical', 'high')
  and ($source is null or source = $source);

-- name: domain
-- The domain of most users: addresses of it are shown without it.
select lower(split_part(email, '@', 2)) as domain
from users
where email like '%_@_%'
group by lower(split_part(email, '@', 2))
order by count(*) desc, lower(split_part(email, '@', 2))
limit 1;

-- name: unknown_events
-- Event types that the reference does not have.
select count(distinct event_name) as unknown_types
from event_rows
where catalog_match = 'unknown_event'
  and ($source is null or source = $source);
