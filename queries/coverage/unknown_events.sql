-- Event names that the reference does not have, the most frequent first.
select
    event_name,
    count(*) as events,
    count(distinct user_id) as users,
    min(event_time) as first_seen,
    max(event_time) as last_seen
from events
where catalog_match = 'unknown_event' and ($source is null or source = $source)
group by event_name
order by events desc, event_name;
