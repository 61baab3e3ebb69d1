-- The jobs of the database of which a prune may have taken a part: those with events of before it, or soon after.
create or replace temp table lake_jobs_here as
select source, job_id, list_min(event_dates) as first_date, event_dates, text_hash
from job_rows
where list_min(event_dates) < lake_kept_before(source) + interval 30 days;
