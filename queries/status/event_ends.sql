-- When the first and the last event of a source came to be, and the last one before its first window. Each is found in
-- the first blocks that can hold it.
select
    cast((
        select event_time from event_rows where source = $source order by event_time limit 1
    ) as varchar) as first_event,
    cast((
        select event_time from event_rows
        where source = $source and event_time < coalesce($first_window::timestamp, timestamp 'infinity')
        order by event_time desc limit 1
    ) as varchar) as last_before,
    cast((
        select event_time from event_rows where source = $source order by event_time desc limit 1
    ) as varchar) as last_event
