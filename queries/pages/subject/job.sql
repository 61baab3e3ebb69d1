-- Events of the range about a job, as its timeline has them.
create or replace temp table subject_events as
with
-- part: job_events
-- part: events_found
