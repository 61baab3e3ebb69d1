-- The last event of a source before the end of what was read, and that end.
with
reach as (
    select read_up_to
    from known_reach
    where source = $source
)
select
    cast(r.read_up_to as varchar) as read_up_to,
    cast(e.event_time as varchar) as last_event
from reach as r
cross join (
    select event_time
    from event_rows
    where source = $source
      and event_time <= (select read_up_to from reach)
    order by event_time desc
    limit 1
) as e;
