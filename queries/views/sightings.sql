-- One row per user and day on which the log shows them, also in what was denied.
create or replace view active_days as
select source, user_id, event_date, first_event_time, last_event_time, events
from active_day_rows;

-- One row per user (by id), e-mail, address and database (by name, lower case) that events name. Each has the first and
-- the last of these events.
create or replace view sightings as
select source, subject_kind, subject, first_seen_at, last_seen_at, events
from sighting_rows
where subject_kind <> 'user email';
