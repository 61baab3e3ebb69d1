-- One row per permission that the old ('before') or the new value ('after') of a change holds: the
-- permission sets taken apart (seed 000, Permission set of a policy). Values come in many shapes: a set
-- (per kind of resource an array of entries), a bare array, flags such as {"administrator":true}, words
-- such as query,import on the database that is shared. A value of another shape gives no row.
create or replace view permission_sets as
with
changes as (
    select
        e.event_key, e.source, e.event_time, e.event_date, e.canonical_name,
        e.user_id, e.actor_email, e.ip_address, e.attribute_name,
        case e.canonical_name when 'permission_policy_modify' then 'policy' else 'user' end as subject_kind,
        case
            when e.canonical_name in ('permission_policy_modify', 'user_modify') then e.resource_id
            else cast(e.affected_user_id as varchar)
        end as subject_id,
        case e.canonical_name
            when 'permission_policy_modify' then e.resource_name
            when 'user_modify' then coalesce(subject.email, e.resource_name)
            else coalesce(e.affected_user, subject.email)
        end as subject_name,
        case e.canonical_name when 'database_permission_modify' then e.resource_id end as shared_id,
        case e.canonical_name when 'database_permission_modify' then e.resource_name end as shared_name,
        coalesce(e.old_value, e.old_values) as old_text,
        -- A promotion says by its path alone what it grants.
        case
            when e.operation = 'POST /users/:id/promote' and coalesce(e.new_value, e.new_values, '') = ''
            then '{"administrator":true}'
            else coalesce(e.new_value, e.new_values)
        end as new_text
    from events as e
    left join last_known_users as subject
        on subject.source = e.source
        and subject.user_id = case e.canonical_name
            when 'user_modify' then try_cast(e.resource_id as bigint)
            else e.affected_user_id
        end
    where e.canonical_name in (
        'permission_policy_modify', 'permission_modify', 'database_permission_modify', 'user_modify'
    )
      and e.outcome = 'succeeded'
),
sides as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        attribute_name, subject_kind, subject_id, subject_name, shared_id, shared_name,
        unnest(['before', 'after']) as moment,
        unnest([old_text, new_text]) as value_text
    from changes
),
-- Text that is no JSON becomes a JSON string: every JSON function below sees valid JSON.
parsed as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        attribute_name, subject_kind, subject_id, subject_name, shared_id, shared_name, moment,
        coalesce(try_cast(value_text as json), to_json(value_text)) as value
    from sides
    where trim(value_text) <> ''
),
-- The members of an object by their key; any other value stands alone, without a key.
members as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        attribute_name, subject_kind, subject_id, subject_name, shared_id, shared_name, moment,
        unnest(coalesce(
            map_entries(try_cast(value as map(varchar, json))), [{'key': null::varchar, 'value': value}]
        )) as member
    from parsed
),
elements as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        attribute_name, subject_kind, subject_id, subject_name, shared_id, shared_name, moment,
        member.key as key,
        unnest(coalesce(try_cast(member.value as json[]), [member.value])) as element
    from members
),
rights as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name, shared_id, shared_name, moment,
        case
            when json_type(element) <> 'BOOLEAN' then coalesce(key, 'Databases')
            when canonical_name = 'database_permission_modify' then 'Databases'
            else 'Account'
        end as resource_kind,
        unnest(case
            when json_type(element) = 'OBJECT' then [json_extract_string(element, '$.operation')]
            when json_type(element) = 'VARCHAR' and key is null
                and canonical_name = 'database_permission_modify'
            then string_split(json_extract_string(element, '$'), ',')
            when cast(element as varchar) = 'true' and key is not null then [key]
            when cast(element as varchar) = 'true' and canonical_name <> 'permission_policy_modify'
            then [attribute_name]
        end) as operation,
        case json_type(element)
            when 'OBJECT'
            then coalesce(json_extract_string(element, '$.ids'), json_extract_string(element, '$.id'))
        end as ids,
        case json_type(element) when 'OBJECT' then json_extract_string(element, '$.name') end as entry_name
    from elements
),
-- The ids are text, one number or an array; an entry without ids stands for every object of its kind.
listed as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name, shared_id, shared_name, moment,
        resource_kind, trim(operation) as operation, entry_name,
        unnest(coalesce(
            string_split(nullif(translate(ids, '[]" ', ''), ''), ','), [shared_id]
        )) as object_id
    from rights
    where trim(operation) <> ''
      and (
          canonical_name <> 'user_modify'
          or resource_kind = 'Account' and operation in ('administrator', 'account_owner')
      )
)
select distinct
    event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
    subject_kind, subject_id, subject_name, moment, resource_kind, operation, object_id,
    coalesce(entry_name, case when object_id = shared_id then shared_name end) as object_name
from listed
where object_id is null or object_id <> '';

-- One row per span of time in which a user belonged to a policy, as far as the log tells: [valid_from,
-- valid_to), null where the log does not reach. Who is detached first had been a member before.
create or replace view policy_members as
with
edits as (
    select
        source, resource_id as policy_id, affected_user_id as user_id, event_time,
        max(resource_name) as policy_name,
        bool_or(canonical_name = 'permission_policy_attach_user') as is_member
    from events
    where canonical_name in ('permission_policy_attach_user', 'permission_policy_detach_user')
      and outcome = 'succeeded'
      and resource_id is not null
      and affected_user_id is not null
    group by source, resource_id, affected_user_id, event_time
),
spans as (
    select
        source, policy_id, policy_name, user_id, event_time, is_member,
        lead(event_time) over (partition by source, policy_id, user_id order by event_time) as next_time,
        row_number() over (partition by source, policy_id, user_id order by event_time) as position
    from edits
)
select source, policy_id, policy_name, user_id, event_time as valid_from, next_time as valid_to
from spans
where is_member
union all
select source, policy_id, policy_name, user_id, null as valid_from, event_time as valid_to
from spans
where not is_member and position = 1;

-- One row per granted or revoked (subject, operation, object): what only one side of a change holds, in
-- whatever order; members of policies and roles; policies made and deleted.
create or replace view permission_changes as
with
set_changes as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name,
        case min(moment) when 'before' then 'revoked' else 'granted' end as change,
        resource_kind, operation, object_id, object_name
    from permission_sets
    group by
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name, resource_kind, operation, object_id, object_name
    having min(moment) = max(moment)
),
memberships as (
    select
        e.event_key, e.source, e.event_time, e.event_date, e.canonical_name,
        e.user_id, e.actor_email, e.ip_address,
        'user' as subject_kind,
        cast(e.affected_user_id as varchar) as subject_id,
        coalesce(e.affected_user, subject.email) as subject_name,
        case
            when e.canonical_name in ('permission_policy_attach_user', 'role_create') then 'granted'
            else 'revoked'
        end as change,
        case
            when e.canonical_name in ('role_create', 'role_delete') then 'Roles'
            else 'Policies'
        end as resource_kind,
        'member' as operation,
        e.resource_id as object_id, e.resource_name as object_name
    from events as e
    left join last_known_users as subject
        on subject.source = e.source and subject.user_id = e.affected_user_id
    where e.canonical_name in (
        'permission_policy_attach_user', 'permission_policy_detach_user', 'role_create', 'role_delete'
    )
      and e.outcome = 'succeeded'
),
policies as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        'policy' as subject_kind, resource_id as subject_id, resource_name as subject_name,
        case canonical_name when 'permission_policy_create' then 'created' else 'deleted' end as change,
        'Policies' as resource_kind, null::varchar as operation,
        resource_id as object_id, resource_name as object_name
    from events
    where canonical_name in ('permission_policy_create', 'permission_policy_delete')
      and outcome = 'succeeded'
),
all_changes as (
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name, change, resource_kind, operation, object_id, object_name
    from set_changes
    union all
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name, change, resource_kind, operation, object_id, object_name
    from memberships
    union all
    select
        event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
        subject_kind, subject_id, subject_name, change, resource_kind, operation, object_id, object_name
    from policies
)
select
    event_key, source, event_time, event_date, canonical_name, user_id, actor_email, ip_address,
    subject_kind, subject_id, subject_name, change, resource_kind, operation,
    case resource_kind when 'Databases' then object_id end as database_id,
    object_id, object_name
from all_changes;
