-- What the catalog says of each recorded name that matters to its events, as one text.
create or replace temp macro name_signatures() as table
with
reached as (
    select recorded_name, plain_entry_id as entry_id from catalog_names
    union
    select recorded_name, entities_entry_id from catalog_names
    union
    select recorded_name, entry_id from catalog_templates
),
entries as (
    select
        r.recorded_name,
        list(
            [e.entry_id::varchar, e.event_name, e.area, e.variant, e.generation, e.denial_kind, e.trigger,
                e.operation_not_shown::varchar]
            order by e.entry_id
        ) as entries,
        bool_or(coalesce(
            is_job_event(e.event_name) or is_access_event(e.event_name) or names_database(e.area), false
        )) as is_folded
    from reached as r
    inner join catalog_entries as e on e.entry_id = r.entry_id
    group by r.recorded_name
),
templates as (
    select
        recorded_name,
        list([verb, segments::varchar, rank::varchar, pattern, operation_id::varchar, entry_id::varchar]
            order by verb, segments, rank) as templates
    from catalog_templates
    group by recorded_name
)
select
    n.recorded_name,
    e.is_folded,
    cast([n.is_alias::varchar, n.plain_entry_id::varchar, n.entities_entry_id::varchar, n.max_segments::varchar,
        e.entries::varchar, t.templates::varchar] as varchar) as signature
from catalog_names as n
left join entries as e on e.recorded_name = n.recorded_name
left join templates as t on t.recorded_name = n.recorded_name;

-- As it is before the catalog changes.
create or replace temp table former_names as
select recorded_name, is_folded, signature from name_signatures();
