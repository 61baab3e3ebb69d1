-- An event of the job, of its result, or of an export that is the job.
(
    e.area = 'Jobs'
    and (
        e.resource_id = cast($job as varchar)
        or e.resource_name = cast($job as varchar)
        or e.resource_id is null and substring(e.resource_name from length(e.resource_name) - length(cast($job as varchar)))
            = '.' || cast($job as varchar)
    )
    or e.exported_job_id = substring(cast($job as varchar) from position('.' in cast($job as varchar)) + 1)
    or e.job = cast($job as varchar)
    or substring(e.job from length(e.job) - length(cast($job as varchar))) = '.' || cast($job as varchar)
)
