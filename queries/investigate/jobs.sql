-- The jobs of the range by their ids.
select distinct job_id as name
from query_jobs
where activity_time >= make_timestamp(cast($since_ms as bigint) * 1000)
  and activity_time < make_timestamp(cast($until_ms as bigint) * 1000)
order by name;
