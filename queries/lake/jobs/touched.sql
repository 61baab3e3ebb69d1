create or replace temp table touched_jobs as
select distinct o.source, o.job_id, e.event_date
from event_rows as e
inner join lake_jobs_other as o on o.source = e.source and o.job_id = job_id_of(e.resource_id, e.resource_name);
