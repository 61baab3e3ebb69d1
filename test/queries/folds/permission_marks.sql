-- One row per change and permission that its old or its new value holds: the permission sets taken apart
-- (seed 000, Permission set of a policy), and users who join or leave a policy or a role. Values come in many
-- shapes: a set (per kind of resource an array of entries), a bare array, flags such as {"administrator":true},
-- words such as query,import on the database that is shared. A change that holds no permission is one row
-- without operation. A value of which nothing is understood is unread: is_unparsed says so, and where it is the
-- new value the change counts as leaving what the old one says; is_statement is false where that helps neither.
create or replace temp view folded_permission_marks as
with
edits as (
    select
        event_key, source, event_time, canonical_name, attribute_name,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor,
        case canonical_name when 'permission_policy_modify' then 'policy' else 'user' end as subject_kind,
        case
            when canonical_name in ('permission_policy_modify', 'user_modify') then resource_id
            else cast(affected_user_id as varchar)
        end as subject_id,
        case canonical_name
            when 'database_permission_modify' then 'share'
            when 'user_modify' then 'flag'
            else 'set'
        end as origin,
        case canonical_name when 'database_permission_modify' then resource_id end as shared_id,
        coalesce(old_value, old_values) as old_text,
        -- Only the path of a promotion shows what it grants.
        case
            when operation = 'POST /users/:id/promote' and coalesce(new_value, new_values, '') = ''
            then '{"administrator":true}'
            else coalesce(new_value, new_values)
        end as new_text
    from events
    where canonical_name in (
        'permission_policy_modify', 'permission_modify', 'database_permission_modify', 'user_modify'
    )
      and outcome = 'succeeded'
      -- The name of a policy is free text: it may look like a set.
      and not (
          canonical_name = 'permission_policy_modify'
          and coalesce(lower(attribute_name), '') in ('name', 'description')
      )
),
sides as (
    select
        event_key, source, event_time, actor, canonical_name, attribute_name, subject_kind, subject_id,
        origin, shared_id,
        unnest(['before', 'after']) as moment,
        unnest([old_text, new_text]) as value_text
    from edits
),
-- Text that is no JSON becomes a JSON string: every JSON function below sees valid JSON.
parsed as (
    select
        event_key, source, event_time, actor, canonical_name, attribute_name, subject_kind, subject_id,
        origin, shared_id, moment,
        coalesce(try_cast(value_text as json), to_json(value_text)) as value
    from sides
    where trim(value_text) <> ''
),
-- The members of an object by their key; any other value is one member without a key.
members as (
    select
        event_key, source, event_time, actor, canonical_name, attribute_name, subject_kind, subject_id,
        origin, shared_id, moment,
        unnest(coalesce(
            nullif(map_entries(try_cast(value as map(varchar, json))), []),
            [{'key': null::varchar, 'value': value}]
        )) as member
    from parsed
),
elements as (
    select
        event_key, source, event_time, actor, canonical_name, attribute_name, subject_kind, subject_id,
        origin, shared_id, moment,
        member.key as key,
        unnest(coalesce(nullif(try_cast(member.value as json[]), []), [member.value])) as element
    from members
),
-- Of a user only the two flags count. A key names the flag, else the attribute does.
narrowed as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, shared_id,
        moment, key, element,
        case when canonical_name = 'user_modify' then lower(trim(json_extract_string(element, '$'))) end as flag_word,
        coalesce(key, case when canonical_name <> 'permission_policy_modify' then attribute_name end) as flag
    from elements
    where canonical_name <> 'user_modify'
       or coalesce(key, attribute_name) in ('administrator', 'account_owner')
),
-- A flag may also be a word or a number.
flagged as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, shared_id,
        moment, key, flag,
        case
            when flag_word in ('true', 't', '1', 'yes') then 'true'::json
            when flag_word in ('false', 'f', '0', 'no') then 'false'::json
            else element
        end as element
    from narrowed
),
relevant as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, shared_id,
        moment, key, flag, element,
        coalesce(json_type(element), 'NULL') as form
    from flagged
),
rights as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, shared_id,
        moment,
        case origin when 'share' then shared_id when 'flag' then flag end as scope_id,
        case form
            when 'NULL' then true
            when 'BOOLEAN' then flag is not null
            when 'ARRAY' then json_array_length(element) = 0
            when 'OBJECT' then len(json_keys(element)) = 0
                or coalesce(json_type(element, '$.operation'), '') = 'VARCHAR'
                    and trim(json_extract_string(element, '$.operation')) <> ''
                    and coalesce(json_type(element, '$.ids'), 'NULL') not in ('OBJECT', 'BOOLEAN')
            when 'VARCHAR' then origin = 'share' and key is null and regexp_full_match(
                json_extract_string(element, '$'), '\s*[A-Za-z_]+\s*(,\s*[A-Za-z_]+\s*)*'
            )
            else false
        end as is_understood,
        case
            when form <> 'BOOLEAN' then coalesce(key, 'Databases')
            when origin = 'share' then 'Databases'
            else 'Account'
        end as resource_kind,
        case form
            when 'OBJECT' then [json_extract_string(element, '$.operation')]
            -- The word none means that nothing is shared.
            when 'VARCHAR' then list_filter(
                string_split(json_extract_string(element, '$'), ','), lambda word: lower(trim(word)) <> 'none'
            )
            when 'BOOLEAN' then case when cast(element as varchar) = 'true' then [flag] end
        end as operations,
        case form when 'OBJECT' then list_filter(
            string_split(translate(json_extract_string(element, '$.ids'), '[]" ', ''), ','),
            lambda id: id <> ''
        ) end as ids,
        case form when 'OBJECT' then json_extract_string(element, '$.id') end as single_id,
        case when json_type(element, '$.name') = 'VARCHAR' then json_extract_string(element, '$.name') end
            as object_name,
        case form when 'OBJECT' then element end as entry
    from relevant
),
-- An entry without ids means every object of its kind, or the shared database.
operated as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, scope_id, moment,
        is_understood, resource_kind,
        -- An id beside ids binds the entry as any other member does.
        bound_name(
            object_name, case when is_understood then entry end,
            case when len(ids) > 0 then ['operation', 'ids'] else ['operation', 'ids', 'id'] end
        ) as object_name,
        unnest(coalesce(nullif(case when is_understood then operations end, []), [null])) as operation,
        coalesce(nullif(ids, []), [coalesce(nullif(trim(single_id), ''), shared_id)]) as object_ids
    from rights
),
listed as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, scope_id, moment,
        is_understood,
        resource_kind,
        -- Of one database the word full_access gives what manage does.
        case when origin = 'share' and lower(trim(operation)) = 'full_access' then 'manage' else trim(operation) end
            as operation,
        unnest(object_ids) as object_id, object_name
    from operated
),
-- All changes without a permission are treated as one.
cells as (
    select
        event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin,
        coalesce(scope_id, '') as scope_id, moment, is_understood, operation,
        case when operation is not null then resource_kind end as resource_kind,
        case when operation is not null then object_id end as object_id,
        case when operation is not null then object_name end as object_name
    from listed
),
readings as (
    select
        source, event_key, scope_id,
        coalesce(bool_or(is_understood) filter (where moment = 'before'), true) as is_before_read,
        coalesce(bool_or(is_understood) filter (where moment = 'after'), true) as is_after_read,
        coalesce(bool_or(is_understood and moment = 'before'), false) as says_before,
        not bool_and(is_understood) as is_unparsed
    from cells
    group by source, event_key, scope_id
),
edit_marks as (
    select
        c.event_key, c.source, c.event_time, c.actor, c.canonical_name, c.subject_kind, c.subject_id,
        c.origin, c.scope_id, c.resource_kind, c.operation, c.object_id, c.object_name,
        case when r.is_before_read then bool_or(c.moment = 'before') end as is_held_before,
        case when r.is_after_read then bool_or(c.moment = 'after') else bool_or(c.moment = 'before') end
            as is_held_after,
        r.is_unparsed,
        r.is_after_read or r.says_before as is_statement
    from cells as c
    inner join readings as r
        on r.source = c.source and r.event_key = c.event_key and r.scope_id = c.scope_id
    group by
        c.event_key, c.source, c.event_time, c.actor, c.canonical_name, c.subject_kind, c.subject_id,
        c.origin, c.scope_id, c.resource_kind, c.operation, c.object_id, c.object_name,
        r.is_before_read, r.is_after_read, r.says_before, r.is_unparsed
),
member_marks as (
    select
        event_key, source, event_time, canonical_name,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor,
        'user' as subject_kind, cast(affected_user_id as varchar) as subject_id, 'member' as origin,
        canonical_name in ('permission_policy_attach_user', 'role_create') as joins,
        case when canonical_name in ('role_create', 'role_delete') then 'Roles' else 'Policies' end
            as resource_kind,
        resource_id as object_id
    from events
    where canonical_name in (
        'permission_policy_attach_user', 'permission_policy_detach_user', 'role_create', 'role_delete'
    )
      and outcome = 'succeeded'
)
select
    event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin, scope_id,
    resource_kind, operation, object_id, object_name,
    is_held_before, is_held_after, is_unparsed, is_statement
from edit_marks
union all
select
    event_key, source, event_time, actor, canonical_name, subject_kind, subject_id, origin,
    resource_kind || ' ' || coalesce(object_id, '') as scope_id,
    resource_kind, 'member' as operation, object_id, null as object_name,
    not joins as is_held_before, joins as is_held_after, false as is_unparsed,
    object_id is not null as is_statement
from member_marks;
