-- The events that stay where a database is made anew: those that the attached one kept.
create or replace temp table kept_events as
select e.event_key
from old.event_rows as e;
