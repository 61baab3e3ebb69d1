-- name: begin
-- Restores the pruned part of sums in a rebuild.
insert into sighting_rows by name
from pruned_sighting_rows;

insert into active_day_rows by name
from pruned_active_day_rows
order by event_date, source, user_id;

-- name: former
-- What was summed up before a prune.
create or replace temp table former_sightings as
select source, subject_kind, subject, first_seen_at, last_seen_at, events
from sighting_rows;

create or replace temp table former_active_days as
select source, user_id, event_date, first_event_time, last_event_time, events
from active_day_rows;

-- name: none
delete from pruned_sighting_rows;

delete from pruned_active_day_rows;

-- name: restore
-- The sums stay as they were: what of them the events that are left do not give is what the prune took.
insert into pruned_sighting_rows by name
select f.source, f.subject_kind, f.subject, f.first_seen_at, f.last_seen_at, f.events - coalesce(s.events, 0) as events
from former_sightings as f
left join sighting_rows as s on s.source = f.source and s.subject_kind = f.subject_kind and s.subject = f.subject
where f.events > coalesce(s.events, 0)
order by f.source, f.subject_kind, f.subject;

insert into pruned_active_day_rows by name
select
    f.source, f.user_id, f.event_date, f.first_event_time, f.last_event_time,
    f.events - coalesce(a.events, 0) as events
from former_active_days as f
left join active_day_rows as a
    on a.source = f.source and a.user_id = f.user_id and a.event_date = f.event_date
where f.events > coalesce(a.events, 0)
order by f.event_date, f.source, f.user_id;

delete from sighting_rows;

insert into sighting_rows by name
from former_sightings;

delete from active_day_rows;

insert into active_day_rows by name
from former_active_days
order by event_date, source, user_id;

drop table former_sightings;

drop table former_active_days;
