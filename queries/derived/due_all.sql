-- The events that are due when the tables are filled from nothing: all.
create or replace temp macro due_events(first_time, last_time) as table
select
    e.*, c.event_name as canonical_name, c.area,
    took_place(c.denial_kind, e.event_result) as is_successful
from event_rows as e
left join catalog_entries as c on c.entry_id = e.entry_id
where e.event_time between first_time and last_time;
