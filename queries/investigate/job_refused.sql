-- When somebody was first refused something about a job of this id or name, which may never have been issued.
select epoch_ms(min(event_time)) as first_ms
from events
where area = 'Jobs'
  and outcome in ('denied', 'failed')
  and (
      coalesce(resource_id, split_part(resource_name, '.', -1)) = $job
      or resource_name = $job
      or operation = 'POST /v3/job/result_export/:target_job_id'
          and resource_id is null
          and regexp_extract(path, '/result_export/([^/?.]+)', 1) = split_part($job, '.', -1)
  );
