-- title: Timeline of a job
-- question: What happened to a job and to its result?
-- family: people
-- grain: one row per event of the job
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: job text required
-- param: days integer = 30
-- The job is its id, or its name database.id. An export of its result names it in the path.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
found as (
    select
-- part: entry_columns
        nullif(e.actor, 'unknown') as person
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and (
          e.area = 'Jobs'
          and (
              e.resource_id = cast($job as varchar)
              or e.resource_name = cast($job as varchar)
              or e.resource_id is null and substring(e.resource_name from length(e.resource_name) - length(cast($job as varchar)))
                  = '.' || cast($job as varchar)
          )
          or e.exported_job_id
              = substring(cast($job as varchar) from position('.' in cast($job as varchar)) + 1)
          or e.job = cast($job as varchar)
          or substring(e.job from length(e.job) - length(cast($job as varchar))) = '.' || cast($job as varchar)
      )
),
-- part: history
-- part: changes
-- part: entries
