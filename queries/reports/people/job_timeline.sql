-- title: What became of a job, and of its result?
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
        e.source, e.event_key, e.event_time, e.user_id, e.actor, e.ip_address, e.event_name, e.canonical_name,
        e.operation, e.outcome, e.denial_kind, e.event_result, e.attribute_name, e.bytesize, e.query_text,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        e.affected_user_id, e.affected_user, e.database_name,
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
changes as (
    select
        source, event_time, event_key, change, operation, object_id, object_name, subject_kind, subject_id, subject_name
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
-- part: timeline
