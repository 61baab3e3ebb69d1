-- The values of the changes, taken apart: one row per element, with the key that it is under. Values come in many shapes:
-- a set (per kind of resource an array of entries), a bare array, or flags such as {"administrator":true}. On a shared
-- database they are words such as query,import.
create or replace temp table edit_elements as
with
sides as (
    select edit_key, unnest(['before', 'after']) as moment, unnest([old_text, new_text]) as value_text
    from permission_edits
),
-- Text that is no JSON becomes a JSON string: every JSON function below sees valid JSON.
parsed as (
    select edit_key, moment, coalesce(try_cast(value_text as json), to_json(value_text)) as value
    from sides
    where trim(value_text) <> ''
),
-- The members of an object by their key; any other value has no key.
members as (
    select
        edit_key, moment,
        unnest(coalesce(
            nullif(map_entries(try_cast(value as map(varchar, json))), []),
            [{'key': null::varchar, 'value': value}]
        )) as member
    from parsed
),
elements as (
    select
        edit_key, moment, member.key as key,
        unnest(coalesce(nullif(try_cast(member.value as json[]), []), [member.value])) as element
    from members
),
-- Of a user only the two flags count. A key names the flag, otherwise the attribute does. A flag may be a word or a
-- number, too.
narrowed as (
    select
        x.edit_key, x.moment, x.key, x.element,
        case when e.origin = 'flag' then lower(trim(json_extract_string(x.element, '$'))) end as flag_word,
        coalesce(x.key, case when e.subject_kind = 'user' then e.attribute_name end) as flag
    from elements as x
    inner join permission_edits as e on e.edit_key = x.edit_key
    where e.origin <> 'flag'
       or coalesce(x.key, e.attribute_name) in ('administrator', 'account_owner')
),
flagged as (
    select
        edit_key, moment, key, flag,
        case
            when flag_word in ('true', 't', '1', 'yes') then 'true'::json
            when flag_word in ('false', 'f', '0', 'no') then 'false'::json
            else element
        end as element
    from narrowed
)
select edit_key, moment, key, flag, element, coalesce(json_type(element), 'NULL') as form
from flagged;
