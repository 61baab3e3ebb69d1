-- name: person
-- Events of a person within ten minutes of a moment, at most 30, those nearest to it.
with
nearest as (
    select event_time, outcome, event_name, ip_address, denial_kind, resource_name, resource_id, operation, event_key
    from events
    where event_time >= cast($moment as timestamp) - interval '10' minute
      and event_time <= cast($moment as timestamp) + interval '10' minute
      and source = $source
      and actor = $actor
    order by abs(epoch_us(event_time) - epoch_us(cast($moment as timestamp))), event_time, event_key
    limit 30
)
select event_time, outcome, event_name, ip_address, denial_kind, resource_name, resource_id, operation, event_key
from nearest
order by event_time desc, event_key desc;

-- name: object
-- Events of an object within a day of a moment, at most 30, those nearest to it.
with
nearest as (
    select event_time, outcome, event_name, actor, ip_address, denial_kind, operation, event_key
    from events
    where event_time >= cast($moment as timestamp) - interval '1' day
      and event_time <= cast($moment as timestamp) + interval '1' day
      and source = $source
      and area is not distinct from $area
      and (resource_id = $object or $object_is_name and resource_name = $object)
    order by abs(epoch_us(event_time) - epoch_us(cast($moment as timestamp))), event_time, event_key
    limit 30
)
select event_time, outcome, event_name, actor, ip_address, denial_kind, operation, event_key
from nearest
order by event_time desc, event_key desc;

-- name: findings
-- Findings that an event is evidence of, the most severe first.
select
    f.finding_id, f.severity, f.title, f.message,
    case when f.suppressed_by is not null and f.state = 'open' then 'suppressed' else f.state end as state,
    f.first_at, f.last_at
from finding_events as e
inner join findings as f on f.finding_id = e.finding_id
where e.event_time = cast($moment as timestamp)
  and e.event_key = $event_key
  and f.state <> 'withdrawn'
order by
    case f.severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end desc,
    f.last_at desc, f.finding_id;

-- name: permissions
-- Rights that an event granted and revoked.
select
    change, operation, coalesce(object_name, object_id) as object, resource_kind, subject_kind,
    coalesce(subject_name, subject_id) as subject
from permission_changes
where event_time = cast($moment as timestamp)
  and event_key = $event_key
order by change, operation, object, resource_kind, subject_kind, subject;
