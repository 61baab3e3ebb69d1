-- One row per (area, event, variant) of the reference.
create or replace view catalog_events as
select
    entry_id, event_name, variant, area, generation, denial_kind, trigger, operation_not_shown, note
from catalog_entries
where not is_fallback;
