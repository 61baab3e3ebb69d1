-- The first day on which the lake may have a row of them: a job is looked for over 30 days.
select cast(cast(min(first_date) - interval 30 days as date) as varchar) as first_day
from lake_jobs_here;
