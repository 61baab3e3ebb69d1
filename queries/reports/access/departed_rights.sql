-- title: Which rights do people still have who left?
-- family: access
-- grain: one row per right or membership that the log shows nobody taking away, of a user who is not in the directory
-- param: on timestamp = now
-- As of `on`; a right of theirs does nothing while they are gone, and is there again when they come back. left_at is the
-- reading of the directory that lacked them first, empty for whom it never had. Without a directory there is no row, nor
-- for what is on a database that is gone (rights_on_gone_databases).
with
directories as (
    select distinct source
    from users
),
held as (
    select
        t.source, t.subject_id, t.origin, t.resource_kind, t.operation, t.object_id, t.object_name, t.held_since,
        t.granted_by
    from access_timeline as t
    inner join directories as d on d.source = t.source
    where t.subject_kind = 'user'
      and coalesce(t.valid_from <= cast($on as timestamp), true)
      and coalesce(t.valid_to > cast($on as timestamp), true)
),
-- What they could do ends with the reading that lacked them.
shown as (
    select
        source, cast(user_id as varchar) as subject_id, user_email, is_listed, way, resource_kind, operation, object_id,
        case when object_id is null then object_name end as bare_name, valid_from, valid_to
    from user_access
    where way <> 'policy'
      and user_id is not null
),
people as (
    select
        source, subject_id, max(user_email) as email,
        max(case when valid_to <= cast($on as timestamp) then valid_to end) as left_at
    from shown
    group by source, subject_id
),
standing as (
    select distinct
        source, subject_id, way, resource_kind, operation, object_id, bare_name,
        user_email is not null or is_listed as is_known
    from shown
    where coalesce(valid_from <= cast($on as timestamp), true)
      and coalesce(valid_to > cast($on as timestamp), true)
)
select
    coalesce(p.email, 'user ' || h.subject_id) as holder,
    h.origin as way,
    h.resource_kind,
    h.operation,
    coalesce(h.object_name, o.policy_name, d.database_name, h.object_id) as object,
    h.held_since,
    h.granted_by,
    case when p.email is not null then p.left_at end as left_at,
    h.subject_id,
    h.object_id,
    h.source
from held as h
left join people as p on p.source = h.source and p.subject_id = h.subject_id
left join standing as s
    on s.source = h.source
    and s.subject_id = h.subject_id
    and s.way = h.origin
    and s.resource_kind = h.resource_kind
    and s.operation = h.operation
    and coalesce(s.object_id, '') = coalesce(h.object_id, '')
    and coalesce(s.bare_name, '') = case when h.object_id is null then coalesce(h.object_name, '') else '' end
left join policies as o
    on o.source = h.source and o.policy_id = case h.resource_kind when 'Policies' then h.object_id end
left join databases as d
    on d.source = h.source and d.database_id = case h.resource_kind when 'Databases' then h.object_id end
where (s.subject_id is null or not s.is_known)
  and coalesce(d.deleted_at > cast($on as timestamp), true)
order by
    holder, way, h.resource_kind, h.operation, object, h.held_since, h.granted_by, left_at, h.subject_id, h.object_id,
    h.source
