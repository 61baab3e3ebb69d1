-- title: Permissions of departed users
-- question: Which permissions do departed users still have?
-- family: access
-- grain: one row per permission or membership that the log never shows revoked, of a user who is not in the directory
-- param: on timestamp = now
-- As of `on`. The rights have no effect while the user is absent, and are active again on return. left_at is the first
-- reading of the directory without the user, empty for users it never listed. Without a directory there are no rows.
-- Rights on deleted databases are in rights_on_gone_databases.
with
directories as (
    select distinct source
    from users
),
-- Rights from the log, beside effective rights, which end with the reading without the user.
logged as (
    select
        t.source, t.subject_id, t.origin, t.resource_kind, t.operation, t.object_id,
        case when t.object_id is null then t.object_name end as bare_name, t.object_name,
        t.held_since, t.granted_by, 1 as is_held, 0 as is_standing,
        cast(null as varchar) as email, cast(null as timestamp) as left_at
    from access_timeline as t
    inner join directories as d on d.source = t.source
    where t.subject_kind = 'user'
      and
      -- part: valid_on
    union all
    select
        source, cast(user_id as varchar) as subject_id, way as origin, resource_kind, operation, object_id,
        case when object_id is null then object_name end as bare_name, cast(null as varchar) as object_name,
        cast(null as timestamp) as held_since, cast(null as varchar) as granted_by, 0 as is_held,
        case
            when user_email is null and not is_listed then 0
            when valid_from > cast($on as timestamp) or valid_to <= cast($on as timestamp) then 0
            else 1
        end as is_standing,
        user_email as email,
        case when valid_to <= cast($on as timestamp) then valid_to end as left_at
    from user_access
    where way <> 'policy'
      and user_id is not null
),
rights as (
    select
        source, subject_id, origin, resource_kind, operation, object_id, max(object_name) as object_name,
        max(held_since) as held_since, max(granted_by) as granted_by,
        max(is_held) as is_held, max(is_standing) as is_standing,
        max(max(email)) over (partition by source, subject_id) as email,
        max(max(left_at)) over (partition by source, subject_id) as left_at
    from logged
    group by source, subject_id, origin, resource_kind, operation, object_id, bare_name
)
select
    coalesce(h.email, 'user ' || h.subject_id) as holder,
    h.origin as way,
    h.resource_kind,
    h.operation,
    coalesce(
        case when h.object_name like '(%'
        then coalesce(coalesce(d.database_name, h.object_id) || ' ', '') || h.object_name end,
        h.object_name, o.policy_name, d.database_name, h.object_id
    ) as object,
    h.held_since,
    h.granted_by,
    case when h.email is not null then h.left_at end as left_at,
    h.subject_id,
    h.object_id,
    h.source
from rights as h
left join policies as o
    on o.source = h.source and o.policy_id = case h.resource_kind when 'Policies' then h.object_id end
left join databases as d
    on d.source = h.source and d.database_id = case h.resource_kind when 'Databases' then h.object_id end
where h.is_held = 1
  and h.is_standing = 0
  and coalesce(d.deleted_at > cast($on as timestamp), true)
order by
    holder, way, h.resource_kind, h.operation, object, h.held_since, h.granted_by, left_at, h.subject_id, h.object_id,
    h.source
