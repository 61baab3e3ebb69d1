-- One row per change and permission that its old or its new value holds. Permission sets are taken apart (seed 000,
-- Permission set of a policy), and so are users who join or leave a policy or a role. A change that holds no permission is
-- one row without operation. A value of which nothing is understood is unread: is_unparsed marks it, and where it is the
-- new value the change counts as leaving what the old one holds. is_statement is false where that helps neither.
insert into permission_mark_rows (
    event_key, source, event_time, user_id, user_email, canonical_name, subject_kind, subject_id, origin, scope_id,
    resource_kind, operation, object_id, object_name, is_held_before, is_held_after, is_unparsed, is_statement
)
with
readings as (
    select
        edit_key, scope_id,
        coalesce(bool_or(is_understood) filter (where moment = 'before'), true) as is_before_read,
        coalesce(bool_or(is_understood) filter (where moment = 'after'), true) as is_after_read,
        coalesce(bool_or(is_understood and moment = 'before'), false) as says_before,
        not bool_and(is_understood) as is_unparsed
    from edit_rights
    group by edit_key, scope_id
),
edit_marks as (
    select
        c.edit_key, c.scope_id, c.resource_kind, c.operation, c.object_id, c.object_name,
        case when r.is_before_read then bool_or(c.moment = 'before') end as is_held_before,
        case when r.is_after_read then bool_or(c.moment = 'after') else bool_or(c.moment = 'before') end
            as is_held_after,
        r.is_unparsed,
        r.is_after_read or r.says_before as is_statement
    from edit_rights as c
    inner join readings as r on r.edit_key = c.edit_key and r.scope_id = c.scope_id
    group by
        c.edit_key, c.scope_id, c.resource_kind, c.operation, c.object_id, c.object_name,
        r.is_before_read, r.is_after_read, r.says_before, r.is_unparsed
),
member_marks as (
    select
        event_key, source, event_time, user_id, user_email, canonical_name,
        cast(affected_user_id as varchar) as subject_id,
        canonical_name in ('permission_policy_attach_user', 'role_create') as joins,
        case when canonical_name in ('role_create', 'role_delete') then 'Roles' else 'Policies' end
            as resource_kind,
        resource_id as object_id
    from due_access_events
    where is_membership_change(canonical_name) and is_successful
)
select
    e.event_key, e.source, e.event_time, e.user_id, e.user_email, e.canonical_name, e.subject_kind, e.subject_id,
    e.origin, m.scope_id, m.resource_kind, m.operation, m.object_id, m.object_name,
    m.is_held_before, m.is_held_after, m.is_unparsed, m.is_statement
from edit_marks as m
inner join permission_edits as e on e.edit_key = m.edit_key
union all
select
    event_key, source, event_time, user_id, user_email, canonical_name, 'user' as subject_kind, subject_id,
    'member' as origin, resource_kind || ' ' || coalesce(object_id, '') as scope_id,
    resource_kind, 'member' as operation, object_id, null as object_name,
    not joins as is_held_before, joins as is_held_after, false as is_unparsed,
    object_id is not null as is_statement
from member_marks
order by event_time, source, event_key, scope_id, resource_kind, operation, object_id, object_name;

drop table permission_edits;

drop table edit_elements;

drop table edit_rights;
