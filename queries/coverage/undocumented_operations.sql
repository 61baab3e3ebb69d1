-- Known events on operations that the reference does not list. Parts of a path that look like an id, a number or a
-- value are masked, versions such as v4 are not. What stays is the form of the path.
with
operations as (
    select
        canonical_name, verb,
        rtrim(split_part(split_part(path, '?', 1), '#', 1), '/') as path,
        count(*) as events
    from events
    where catalog_match = 'undocumented_operation' and path is not null and ($source is null or source = $source)
    group by canonical_name, verb, rtrim(split_part(split_part(path, '?', 1), '#', 1), '/')
),
masked as (
    select
        canonical_name, verb, events,
        array_to_string(
            list_transform(
                string_split(path, '/'),
                lambda part: case
                    when regexp_full_match(part, 'v[0-9]+') then part
                    when regexp_matches(part, '[0-9@%]') or length(part) > 40 then ':id'
                    else part
                end
            ),
            '/'
        ) as path
    from operations
)
select
    canonical_name as event_name,
    concat_ws(' ', verb, path) as operation,
    sum(events)::bigint as events
from masked
group by canonical_name, verb, path
order by events desc, event_name, operation;
