-- title: Timeline of a job
-- question: What happened to a job and to its result?
-- family: people
-- grain: one row per event of the job
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: job text required
-- param: days integer = 30
-- param: newest integer = null
-- param: before timestamp = null
-- The job is its id, or its name database.id. An export of its result names it in the path.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever. Without
-- newest all entries of the range are shown. With it, about so many of the newest (whole seconds), below before where
-- that is given; sessions and first_seen stay those of the range.
with
-- The moments first, from columns as they are recorded: what else an event has is read for these alone. Nothing here
-- may fail, since an engine joins what else an event has before such a condition.
moments as (
    select distinct e.event_time
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and (cast($before as timestamp) is null or e.event_time < cast($before as timestamp))
      and (
          e.resource_id = cast($job as varchar)
          or e.resource_name = cast($job as varchar)
          or position('.' || cast($job as varchar) in e.resource_name) > 0
          or e.job = cast($job as varchar)
          or position('.' || cast($job as varchar) in e.job) > 0
          -- What names the job of an exported result.
          or e.resource_id = substring(cast($job as varchar) from position('.' in cast($job as varchar)) + 1)
          or e.target_resource_id = substring(cast($job as varchar) from position('.' in cast($job as varchar)) + 1)
          or position(
              '/' || substring(cast($job as varchar) from position('.' in cast($job as varchar)) + 1)
              in e.requested_path_info
          ) > 0
          or position(
              '/' || substring(cast($job as varchar) from position('.' in cast($job as varchar)) + 1)
              in e.requested_path
          ) > 0
      )
),
found as (
    select e.source, e.event_time, e.event_key, nullif(e.actor, 'unknown') as person
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.event_time in (select m.event_time from moments as m group by m.event_time having count(*) > 0)
      and
      -- part: of_job
),
-- part: shown
-- part: history
-- part: changes
-- part: entries
