-- Further members of an entry are part of its object: stored permissions of snapshots get the name that new ones have.
update policy_permission_rows
set object_name = bound.name
from (
    select
        permissions.row_id,
        concat_ws(' ', permissions.object_name, '(' || array_to_string(list_sort(list_transform(
            permissions.members,
            lambda m: regexp_replace(m.key, '([\\;,:])', '\\\1', 'g') || ': ' || array_to_string(list_transform(
                m.texts, lambda t: regexp_replace(t, '([\\;,:])', '\\\1', 'g')
            ), ', ')
        )), '; ') || ')') as name
    from (
        select
            rowid as row_id, object_name,
            list_filter(
                list_transform(
                    list_filter(
                        map_entries(try_cast(details as map(varchar, json))),
                        lambda m: not (m.key = 'name' and coalesce(json_type(m.value), '') = 'VARCHAR')
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
            ) as members
        from policy_permission_rows
        where operation is not null and details is not null
    ) as permissions
    where len(permissions.members) > 0
) as bound
where policy_permission_rows.rowid = bound.row_id;
