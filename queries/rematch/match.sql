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
