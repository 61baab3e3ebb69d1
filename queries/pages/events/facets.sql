-- The most frequent values of each column of a search, with all filters but the column's own, and the number of its
-- values. Values that the column's filter names are listed wherever they rank.
with
-- part: judged_events
,
near as materialized (
    select
        person, event, address, outcome, area, kind, database,
        fits_person, fits_event, fits_address, fits_outcome, fits_area, fits_kind, fits_database,
        count(*) as events
    from judged
    where fits_person::integer + fits_event::integer + fits_address::integer + fits_outcome::integer
          + fits_area::integer + fits_kind::integer + fits_database::integer >= 6
    group by all
),
counted as (
    select 'outcome' as facet, outcome as value, sum(events) as events, $outcome as named, $not_outcome as excluded
    from near
    where fits_person and fits_event and fits_address and fits_area and fits_kind and fits_database
    group by outcome
    union all
    select 'kind' as facet, kind as value, sum(events) as events, $kind as named, $not_kind as excluded
    from near
    where fits_person and fits_event and fits_address and fits_outcome and fits_area and fits_database
    group by kind
    union all
    select 'event' as facet, event as value, sum(events) as events, $event as named, $not_event as excluded
    from near
    where fits_person and fits_address and fits_outcome and fits_area and fits_kind and fits_database
    group by event
    union all
    select 'person' as facet, person as value, sum(events) as events, $person as named, $not_person as excluded
    from near
    where fits_event and fits_address and fits_outcome and fits_area and fits_kind and fits_database
    group by person
    union all
    select 'address' as facet, address as value, sum(events) as events, $address as named, $not_address as excluded
    from near
    where fits_person and fits_event and fits_outcome and fits_area and fits_kind and fits_database
    group by address
    union all
    select 'area' as facet, area as value, sum(events) as events, $area as named, $not_area as excluded
    from near
    where fits_person and fits_event and fits_address and fits_outcome and fits_kind and fits_database
    group by area
    union all
    select 'database' as facet, database as value, sum(events) as events, $database as named, $not_database as excluded
    from near
    where fits_person and fits_event and fits_address and fits_outcome and fits_area and fits_kind
    group by database
),
ranked as (
    select
        facet, value, events,
        coalesce(list_contains(named, value), false) or coalesce(list_contains(excluded, value), false) as is_named,
        row_number() over (partition by facet order by value = 'none', events desc, value) as rank,
        count(*) filter (where value <> 'none') over (partition by facet) as distinct_values
    from counted
)
select facet, value, events, distinct_values
from ranked
where rank <= 6 or is_named
order by facet, rank;
