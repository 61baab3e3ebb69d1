-- title: Permissions on deleted databases
-- question: Which permissions are on databases that no longer exist?
-- family: access
-- grain: one row per permission of a policy or a user on a deleted database
-- param: on timestamp = now
-- As of `on`. Such a right has no effect unless a database gets the same id again.
select
    case t.subject_kind
        when 'policy' then coalesce(p.policy_name, 'policy ' || t.subject_id)
        else coalesce(lower(u.email), 'user ' || t.subject_id)
    end as holder,
    t.operation,
    coalesce(d.database_name, t.object_id) as database_name,
    d.deleted_at,
    t.held_since,
    t.granted_by,
    t.evidence,
    t.origin as way,
    t.subject_kind as holder_kind,
    t.subject_id,
    t.object_id as database_id,
    t.source
from access_timeline as t
inner join databases as d on d.source = t.source and d.database_id = t.object_id
left join policies as p
    on p.source = t.source and p.policy_id = case t.subject_kind when 'policy' then t.subject_id end
left join users as u
    on u.source = t.source and cast(u.user_id as varchar) = case t.subject_kind when 'user' then t.subject_id end
where t.resource_kind = 'Databases'
  and d.deleted_at <= cast($on as timestamp)
  and (t.valid_from is null or t.valid_from <= cast($on as timestamp))
  and (t.valid_to is null or t.valid_to > cast($on as timestamp))
order by
    holder, t.operation, database_name, d.deleted_at, t.held_since, t.granted_by, t.evidence, way, holder_kind,
    t.subject_id, database_id, t.source
