-- What was summed up before a prune.
create or replace temp table former_sightings as
select source, subject_kind, subject, first_seen_at, last_seen_at, events
from sighting_rows;

create or replace temp table former_active_days as
select source, user_id, event_date, first_event_time, last_event_time, events
from active_day_rows;
