-- name: events_by_match
-- How the events fit the reference: one row per kind of match.
with
matches as (
    select catalog_match, count(*) as events, count(distinct event_name) as event_names
    from events
    where $source is null or source = $source
    group by catalog_match
)
select
    catalog_match,
    events,
    round(100.0 * events / sum(events) over (), 2) as percent,
    event_names
from matches
order by events desc, catalog_match;

-- name: unknown_events
-- Event names that the reference does not have, the most frequent first.
select
    event_name,
    count(*) as events,
    count(distinct user_id) as users,
    min(event_time) as first_seen,
    max(event_time) as last_seen
from events
where catalog_match = 'unknown_event' and ($source is null or source = $source)
group by event_name
order by events desc, event_name;

-- name: undocumented_operations
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

-- name: unknown_fields
-- Fields that were kept in `extra`: not in the reference, or known with a value that does not fit its type.
with
fields as (
    select event_name, unnest(json_keys(extra)) as field
    from events
    where extra is not null and json_type(extra) = 'OBJECT' and ($source is null or source = $source)
),
known as (
    select distinct column_name from information_schema.columns where table_name = 'event_rows'
)
select
    field,
    case
        when field in (select column_name from known) or field = 'time' then 'does not fit its type'
        else 'not in the reference'
    end as reason,
    count(*) as events,
    count(distinct event_name) as event_names,
    min(event_name) as for_example
from fields
group by field
order by events desc, field;

-- name: events_never_seen
-- Events of the reference without any record, by area.
select distinct c.area, c.event_name
from catalog_events as c
where not exists (
    select 1 from events as e
    where e.canonical_name = c.event_name and e.area = c.area and ($source is null or e.source = $source)
)
order by c.area, c.event_name;
