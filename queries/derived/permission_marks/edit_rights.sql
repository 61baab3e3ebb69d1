-- The permissions that the values name, before and after each change: one row per object. An element that holds none is
-- one row without operation, and one of which something is not understood has is_understood false.
create or replace temp table edit_rights as
with
rights as (
    select
        x.edit_key, x.moment, e.origin, e.shared_id,
        coalesce(case e.origin when 'share' then e.shared_id when 'flag' then x.flag end, '') as scope_id,
        case x.form
            when 'NULL' then true
            when 'BOOLEAN' then x.flag is not null
            when 'ARRAY' then json_array_length(x.element) = 0
            when 'OBJECT' then len(json_keys(x.element)) = 0
                or coalesce(json_type(x.element, '$.operation'), '') = 'VARCHAR'
                    and trim(json_extract_string(x.element, '$.operation')) <> ''
                    and coalesce(json_type(x.element, '$.ids'), 'NULL') not in ('OBJECT', 'BOOLEAN')
            when 'VARCHAR' then e.origin = 'share' and x.key is null and regexp_full_match(
                json_extract_string(x.element, '$'), '\s*[A-Za-z_]+\s*(,\s*[A-Za-z_]+\s*)*'
            )
            else false
        end as is_understood,
        case
            when x.form <> 'BOOLEAN' then coalesce(x.key, 'Databases')
            when e.origin = 'share' then 'Databases'
            else 'Account'
        end as resource_kind,
        case x.form
            when 'OBJECT' then [json_extract_string(x.element, '$.operation')]
            -- The word none says that nothing is shared.
            when 'VARCHAR' then list_filter(
                string_split(json_extract_string(x.element, '$'), ','), lambda word: lower(trim(word)) <> 'none'
            )
            when 'BOOLEAN' then case when cast(x.element as varchar) = 'true' then [x.flag] end
        end as operations,
        case x.form when 'OBJECT' then list_filter(
            string_split(translate(json_extract_string(x.element, '$.ids'), '[]" ', ''), ','),
            lambda id: id <> ''
        ) end as ids,
        case x.form when 'OBJECT' then json_extract_string(x.element, '$.id') end as single_id,
        case when json_type(x.element, '$.name') = 'VARCHAR' then json_extract_string(x.element, '$.name') end
            as object_name,
        case x.form when 'OBJECT' then x.element end as entry
    from edit_elements as x
    inner join permission_edits as e on e.edit_key = x.edit_key
),
-- An entry without ids is about every object of its kind, or about the shared database.
operated as (
    select
        edit_key, moment, origin, scope_id, is_understood, resource_kind,
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
        edit_key, moment, scope_id, is_understood, resource_kind,
        -- Of one database the word full_access gives what manage does.
        case when origin = 'share' and lower(trim(operation)) = 'full_access' then 'manage' else trim(operation) end
            as operation,
        unnest(object_ids) as object_id, object_name
    from operated
)
-- What holds no permission is one and the same.
select
    edit_key, moment, scope_id, is_understood, operation,
    case when operation is not null then resource_kind end as resource_kind,
    case when operation is not null then object_id end as object_id,
    case when operation is not null then object_name end as object_name
from listed;
