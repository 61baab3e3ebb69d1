-- One row per granted or revoked (subject, operation, object): what only one side of a change holds, in
-- whatever order; members of policies and roles; what ends with a policy or a user that is deleted. Beside them
-- one row per policy made or deleted, and one per change with a value that is no permission set: unparsed, with
-- the unchanged values. If nothing of a value is readable, the change has only that row.
create or replace temp view folded_permission_changes as
with
causes as (
    select
        e.event_key, e.source, e.event_time, e.event_date, e.canonical_name,
        e.user_id, e.actor_email, e.ip_address, e.resource_id, e.resource_name, e.affected_user,
        coalesce(e.old_value, e.old_values) as old_value,
        coalesce(e.new_value, e.new_values) as new_value
    from events as e
    where e.canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user', 'permission_modify',
        'database_permission_modify', 'role_create', 'role_delete', 'user_modify', 'user_delete'
    )
      and e.outcome = 'succeeded'
),
ended as (
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
        valid_to as ended_at, revoked_event_key
    from folded_permission_spans
    where is_ended_with_owner
),
moved as (
    select
        event_key, source, subject_kind, subject_id, origin,
        case when is_held_after then 'granted' else 'revoked' end as change,
        resource_kind, operation, object_id, object_name
    from folded_permission_marks
    where operation is not null and is_held_before <> is_held_after
    union all
    select
        c.event_key, e.source, e.subject_kind, e.subject_id, e.origin,
        'revoked' as change,
        e.resource_kind, e.operation, e.object_id, e.object_name
    from ended as e
    inner join causes as k
        on k.source = e.source and k.event_key = e.revoked_event_key
    inner join causes as c
        on c.source = k.source and c.event_time = k.event_time and c.canonical_name = k.canonical_name
        and c.resource_id = k.resource_id
    union all
    select
        event_key, source, 'policy' as subject_kind, resource_id as subject_id, 'policy' as origin,
        case canonical_name when 'permission_policy_create' then 'created' else 'deleted' end as change,
        'Policies' as resource_kind, null as operation, resource_id as object_id, resource_name as object_name
    from causes
    where canonical_name in ('permission_policy_create', 'permission_policy_delete')
    union all
    select distinct
        event_key, source, subject_kind, subject_id, origin,
        'unparsed' as change,
        null as resource_kind, null as operation, null as object_id, null as object_name
    from folded_permission_marks
    where is_unparsed
)
select
    m.event_key, m.source, c.event_time, c.event_date, c.canonical_name,
    c.user_id, c.actor_email, coalesce(c.actor_email, 'user ' || cast(c.user_id as varchar), 'unknown') as actor,
    c.ip_address,
    m.subject_kind, m.subject_id,
    case
        when m.subject_kind = 'policy' then c.resource_name
        when c.canonical_name in ('user_modify', 'user_delete') then coalesce(u.email, c.resource_name)
        else coalesce(c.affected_user, u.email)
    end as subject_name,
    m.origin, m.change, m.resource_kind, m.operation,
    case m.resource_kind when 'Databases' then m.object_id end as database_id,
    m.object_id,
    coalesce(
        case when m.object_name like '(%' then concat_ws(' ', coalesce(
            case when m.object_id = c.resource_id and m.origin = 'share' then c.resource_name end, m.object_id
        ), m.object_name) end,
        m.object_name,
        case when m.object_id = c.resource_id and m.origin in ('share', 'member') then c.resource_name end
    ) as object_name,
    case m.change when 'unparsed' then c.old_value end as old_value,
    case m.change when 'unparsed' then c.new_value end as new_value
from moved as m
inner join causes as c on c.source = m.source and c.event_key = m.event_key
left join last_known_users as u
    on u.source = m.source and m.subject_kind = 'user' and u.user_id = try_cast(m.subject_id as bigint);
