-- name: signatures
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

-- State before the catalog changes.
create or replace temp table former_names as
select recorded_name, is_folded, signature from name_signatures();

-- name: note_due
-- The names of which the catalog says something else than before; all of them where the rules have changed.
create or replace temp table changed_names as
select
    coalesce(f.recorded_name, n.recorded_name) as recorded_name,
    coalesce(f.is_folded, false) or coalesce(n.is_folded, false) as is_folded
from former_names as f
full outer join name_signatures() as n on n.recorded_name = f.recorded_name
where $is_all or n.signature is distinct from f.signature;

-- Pending names start again.
delete from rematch_due
where recorded_name in (select c.recorded_name from changed_names as c);

insert into rematch_due (recorded_name, is_folded)
select c.recorded_name, c.is_folded
from changed_names as c
semi join event_rows as e on e.event_name = c.recorded_name
order by c.recorded_name;

-- name: days
-- The days with events that are to be matched again, and how many there are of them.
select cast(e.event_date as varchar) as event_date, count(*) as events
from event_rows as e
inner join rematch_due as d on d.recorded_name = e.event_name
where d.next_date is null or e.event_date >= d.next_date
group by e.event_date
order by e.event_date;

-- name: match
-- The events of some days, matched again; what has not changed is not written.
create or replace temp table rematched as
with
due as (
    select
        e.rowid as row_id,
        e.event_name,
        coalesce(nullif(e.requested_http_verb, ''), nullif(e.http_verb, '')) as verb,
        coalesce(nullif(e.requested_path_info, ''), nullif(e.requested_path, '')) as path,
        e.entry_id as former_entry_id,
        e.operation_id as former_operation_id,
        e.catalog_match as former_match
    from event_rows as e
    inner join rematch_due as d on d.recorded_name = e.event_name
    where e.event_date between $first_day::date and $last_day::date
      and (d.next_date is null or e.event_date >= d.next_date)
)
select
    row_id, entry_id, template.operation_id as operation_id, catalog_match::catalog_match as catalog_match
from matched('due')
where entry_id is distinct from former_entry_id
   or template.operation_id is distinct from former_operation_id
   or catalog_match::catalog_match is distinct from former_match;

update event_rows
set entry_id = m.entry_id, operation_id = m.operation_id, catalog_match = m.catalog_match
from rematched as m
where event_rows.rowid = m.row_id;

update rematch_due set next_date = $last_day::date + 1;

-- name: done
-- Derived tables are rebuilt if the catalog changes the meaning of their events.
delete from derived_versions
where exists (select 1 from rematch_due as d where d.is_folded);

delete from rematch_due;
