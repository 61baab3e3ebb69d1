-- Events of the range about a job, its result, or an export of it. Moments are selected first from recorded columns;
-- other columns are read only for these. Nothing here may fail, since an engine can join the other columns before this
-- condition.
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
      and
      -- part: of_job
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
