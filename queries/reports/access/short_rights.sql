-- title: Short-lived permissions
-- question: Which permissions were granted and revoked within hours?
-- family: access
-- grain: one row per permission of a policy or a user that was granted in the range and revoked within the hours after it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- Rights on databases, memberships of policies and roles, and flags. A right granted and revoked within one second has
-- one row with equal moments. If it was certainly held before and after the second, one change each way does not count
-- as a grant. is_uncertain marks rights for which changes within one second leave open whether they were held at all.
with
spans as (
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
        valid_from, valid_to, granted_by, granted_event_key, is_uncertain
    from permission_spans
),
-- Seconds with grants, and the number of grants and revocations in them.
given as (
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, event_time,
        min(actor) filter (where is_held_after and not is_held_before) as granted_by,
        count(*) filter (where is_held_after and not is_held_before) as grants,
        count(*) filter (where is_held_before and not is_held_after) as revocations
    from permission_marks
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and is_statement
      and subject_id <> ''
      and operation is not null
    group by source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, event_time
    having count(*) filter (where is_held_after and not is_held_before) > 0
),
subjects as (
    select distinct source, subject_kind, subject_id, operation from given
),
-- Spans of the same rights. Empty texts and ends that the range cannot reach replace nulls, so that the join is by plain
-- comparisons: other conditions of a left join compare every pair of rows.
same as (
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.resource_kind, s.operation,
        coalesce(s.object_id, '') as id_text, coalesce(s.object_name, '') as name_text,
        coalesce(s.valid_from, cast($since as timestamp) - interval '1' day) as from_at,
        coalesce(s.valid_to, cast($until as timestamp)) as to_at,
        s.is_uncertain
    from spans as s
    inner join subjects as g
        on g.source = s.source and g.subject_kind = s.subject_kind and g.subject_id = s.subject_id
        and g.operation = s.operation
    where coalesce(s.valid_from < cast($until as timestamp), true)
      and coalesce(s.valid_to >= cast($since as timestamp), true)
),
named as (
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
        coalesce(object_id, '') as id_text, coalesce(object_name, '') as name_text,
        event_time, granted_by, grants, revocations
    from given
),
-- What was held right before and right after such a second.
around as (
    select
        g.source, g.subject_kind, g.subject_id, g.origin, g.resource_kind, g.operation, g.object_id, g.object_name,
        g.event_time, g.granted_by, g.grants, g.revocations,
        count(*) filter (where s.from_at < g.event_time and not s.is_uncertain) as sure_before,
        count(*) filter (where s.to_at > g.event_time) as held_after,
        count(*) filter (where s.is_uncertain) as uncertain
    from named as g
    left join same as s
        on s.source = g.source and s.subject_kind = g.subject_kind and s.subject_id = g.subject_id
        and s.origin = g.origin and s.resource_kind = g.resource_kind and s.operation = g.operation
        and s.id_text = g.id_text and s.name_text = g.name_text
        and s.from_at <= g.event_time and s.to_at >= g.event_time
    group by
        g.source, g.subject_kind, g.subject_id, g.origin, g.resource_kind, g.operation, g.object_id, g.object_name,
        g.event_time, g.granted_by, g.grants, g.revocations
),
short as (
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
        valid_from as granted_at, valid_to as taken_at, granted_by, is_uncertain
    from spans
    where granted_event_key is not null
      and valid_from >= cast($since as timestamp)
      and valid_from < cast($until as timestamp)
      and valid_to <= valid_from + cast($hours as integer) * interval '1' hour
    union all
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
        event_time as granted_at, event_time as taken_at, granted_by, uncertain > 0 as is_uncertain
    from around
    where held_after = 0
       or revocations > 0 and (sure_before = 0 or grants > 1 and revocations > 1)
)
select
    granted_at,
    taken_at,
    subject_kind,
    subject_id,
    origin,
    resource_kind,
    operation,
    object_id,
    object_name,
    granted_by,
    is_uncertain,
    source
from short
order by
    granted_at, taken_at, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, granted_by,
    is_uncertain, source
