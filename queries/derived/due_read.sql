-- The events that are due when reads were loaded: those that they brought.
create or replace temp macro due_events(first_time, last_time) as table
select
    e.*, c.event_name as canonical_name, c.area,
    took_place(c.denial_kind, e.event_result) as is_successful
from event_rows as e
left join catalog_entries as c on c.entry_id = e.entry_id
where e.read_id in (select d.read_id from fold_due as d) and e.event_time between first_time and last_time;
