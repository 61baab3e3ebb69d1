-- Events of the range about a resource, as its timeline has them.
create or replace temp table subject_events as
with
-- part: resource_events
-- part: events_found
