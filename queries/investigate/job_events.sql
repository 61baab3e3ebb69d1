-- First event about a job of this id or name that was never issued: a refusal, an export of its result, the job of an export.
select epoch_ms(min(event_time)) as first_ms
from events
where area = 'Jobs'
  and (outcome in ('denied', 'failed') or exported_job_id is not null)
  and (
      coalesce(resource_id, split_part(resource_name, '.', -1)) = $job
      or resource_name = $job
      or exported_job_id = split_part($job, '.', -1)
  );
