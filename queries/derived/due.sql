-- How much is due, and of which time; one row.
select
    coalesce(sum(events), 0)::bigint as events,
    cast(min(first_event_time) as varchar) as first_time,
    cast(max(last_event_time) as varchar) as last_time
from fold_due;
