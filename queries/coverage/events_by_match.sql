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
