-- What an entry of a permission set is bound to besides its ids: every further member, known or not, sorted, including
-- lists; empty members do not count. `[]` for an entry without readable members.
create or replace temp macro binding_members(entry, others) as
list_filter(
    list_transform(
        list_filter(map_entries(try_cast(entry as map(varchar, json))), lambda m:
            not list_contains(others, m.key) and not (m.key = 'name' and coalesce(json_type(m.value), '') = 'VARCHAR')
        ),
        lambda m: {
            'key': m.key,
            'texts': list_sort(list_distinct(list_filter(
                list_transform(
                    case json_type(m.value) when 'ARRAY' then cast(m.value as json[]) else [m.value] end,
                    lambda v: json_extract_string(v, '$')
                ),
                lambda t: t not in ('', '[]', '{}')
            )))
        }
    ),
    lambda m: len(m.texts) > 0
);

-- A key or value of a member with a backslash before what separates them.
create or replace temp macro member_text(text) as regexp_replace(text, '([\\;,:])', '\\\1', 'g');

-- The name of the object of an entry, with its further members after it in parentheses: (audience_id: 5; columns: a, b).
create or replace temp macro bound_name(name, entry, others) as
list_transform(
    [case
        when entry is null then ''
        when try_cast(entry as map(varchar, json)) is null then cast(entry as varchar)
        else array_to_string(list_sort(list_transform(
            binding_members(entry, others),
            lambda m: member_text(m.key) || ': '
                || array_to_string(list_transform(m.texts, lambda t: member_text(t)), ', ')
        )), '; ')
    end],
    lambda members: case when members = '' then name else concat_ws(' ', name, '(' || members || ')') end
)[1];
