-- When the job of this id or name first stands in the log.
select epoch_ms(min(activity_time)) as first_ms
from query_jobs
where job_id = $job or job_name = $job;
