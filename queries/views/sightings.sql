-- One row per user and day on which the log shows them, also in what was denied.
create or replace view active_days as
select source, user_id, event_date, first_event_time, last_event_time, events
from active_day_rows;

-- One row per user (by id), e-mail, address and database (by name, lower case) that events name. Each has the first and
-- the last of these events.
create or replace view sightings as
select source, subject_kind, subject, first_seen_at, last_seen_at, events
from sighting_rows
where subject_kind in ('user', 'email', 'address', 'database');

-- One row per user (by id, else by e-mail, lower case) and address from which an event of theirs succeeded.
create or replace view user_addresses as
select
    source,
    case subject_kind when 'user address' then try_cast(split_part(subject, chr(31), 1) as bigint) end as user_id,
    case subject_kind when 'email address' then split_part(subject, chr(31), 1) end as user_email,
    split_part(subject, chr(31), 2) as ip_address,
    first_seen_at, last_seen_at, events
from sighting_rows
where subject_kind in ('user address', 'email address');
