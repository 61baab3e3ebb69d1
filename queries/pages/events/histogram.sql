-- Events that fit a search, per bucket of its range and outcome, and how many of them are in a selected part of the
-- range. Buckets begin at the borders, which are whole slots.
with
-- part: judged_events
,
slots as (
    select
        time_bucket(to_milliseconds($slot_ms), event_time) as slot, outcome,
        count(*) as events,
        count(*) filter (
            where event_time >= cast($selected_since as timestamp) and event_time < cast($selected_until as timestamp)
        ) as selected
    from judged
    where
-- part: fits_all
    group by slot, outcome
),
borders as (
    select unnest($borders) as border
)
select
    epoch_ms(b.border) as start_ms, s.outcome, sum(s.events) as events, sum(s.selected) as selected
from slots as s
asof join borders as b on s.slot >= b.border
group by b.border, s.outcome
order by b.border, s.outcome;
