-- name: note
insert into fold_due (read_id, first_event_time, last_event_time, events)
values ($read_id, $first_time::timestamp, $last_time::timestamp, $events);

-- name: amount
-- How much is due, and of which time; one row.
select
    coalesce(sum(events), 0)::bigint as events,
    cast(min(first_event_time) as varchar) as first_time,
    cast(max(last_event_time) as varchar) as last_time
from fold_due;

-- name: of_reads
-- Pending events after a load: the events of the loaded reads.
create or replace temp macro due_events(first_time, last_time) as table
select
    e.*, c.event_name as canonical_name, c.area,
    took_place(c.denial_kind, e.event_result) as is_successful
from event_rows as e
left join catalog_entries as c on c.entry_id = e.entry_id
where e.read_id in (select d.read_id from fold_due as d) and e.event_time between first_time and last_time;

-- Those of them that are about permissions, once they are in their table.
create or replace temp macro due_access_rows() as table
select source, event_key, event_time, canonical_name, is_successful, resource_id
from access_event_rows
where read_id in (select d.read_id from fold_due as d);

-- name: all
-- The events that are due when the tables are filled from nothing: all.
create or replace temp macro due_events(first_time, last_time) as table
select
    e.*, c.event_name as canonical_name, c.area,
    took_place(c.denial_kind, e.event_result) as is_successful
from event_rows as e
left join catalog_entries as c on c.entry_id = e.entry_id
where e.event_time between first_time and last_time;

create or replace temp macro due_access_rows() as table
select source, event_key, event_time, canonical_name, is_successful, resource_id
from access_event_rows;

-- name: hours
-- How many events are due in each hour.
select
    cast(date_trunc('hour', event_time) as varchar) as first_time,
    cast(date_trunc('hour', event_time) + interval 1 hour - interval 1 microsecond as varchar) as last_time,
    count(*) as events
from due_events($first_time::timestamp, $last_time::timestamp)
group by date_trunc('hour', event_time)
order by date_trunc('hour', event_time);

-- name: folded_by
-- The version of the rules that filled the derived tables, and the number of events.
select
    (select max(derived_version) from derived_versions) as derived_version,
    (select count(*) from event_rows) as events;
