-- When the first and the last event of a source came to be. Each is found in the first blocks that can hold it.
select
    (select event_time from event_rows where source = $source order by event_time limit 1) as first_event,
    (select event_time from event_rows where source = $source order by event_time desc limit 1) as last_event
