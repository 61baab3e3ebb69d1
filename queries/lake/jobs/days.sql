-- The days on which the lake or the database has events of those jobs.
select distinct cast(unnest(from_json(t.event_dates, '["date"]')) as varchar) as day
from lake_there_job_rows as t
semi join lake_jobs_other as o on o.source = t.source and o.job_id = t.job_id
union
select distinct cast(unnest(h.event_dates) as varchar) as day
from lake_jobs_here as h
semi join lake_jobs_other as o on o.source = h.source and o.job_id = h.job_id
order by day;
