-- The stretches of time in which the log decides what a policy holds: from a change to the first reading after it. from_at
-- is null where nothing was read before the first change, since the log then shows the time before, too.
create or replace temp table log_phases as
with
-- A disputed reading counts to the end of what it disputes: until the log states the next set.
placed as (
    select
        r.series_key, coalesce(min(c.changed_at) - interval 1 microsecond, 'infinity') as placed_at,
        min(c.changed_at) as end_at, r.read_at, r.snapshot_id, true as is_disputed
    from due_readings as r
    left join policy_changes as c on c.series_key = r.series_key and c.changed_at >= r.latest_at
    where r.is_disputed
    group by r.series_key, r.read_at, r.snapshot_id
    union all
    select series_key, read_at as placed_at, read_at as end_at, read_at, snapshot_id, false as is_disputed
    from due_readings
    where not is_disputed
),
-- Of several that dispute the same changes the last counts.
last_placed as (
    select
        series_key, placed_at, max(end_at) as end_at, max(read_at) as read_at,
        arg_max(snapshot_id, read_at) as snapshot_id, bool_and(is_disputed) as is_disputed
    from placed
    group by series_key, placed_at
),
-- The changes between two readings of a policy, and the reading after them.
confirmed as (
    select
        c.series_key, c.changed_at, c.is_making,
        r.placed_at, r.end_at, r.read_at, r.snapshot_id, r.is_disputed
    from policy_changes as c
    asof left join last_placed as r on r.series_key = c.series_key and c.changed_at <= r.placed_at
),
grouped as (
    select
        series_key, placed_at, end_at, read_at, snapshot_id, is_disputed,
        min(changed_at) as first_at, max(changed_at) as last_at, arg_max(is_making, changed_at) as is_making
    from confirmed
    group by series_key, placed_at, end_at, read_at, snapshot_id, is_disputed
)
select
    g.series_key, g.snapshot_id, g.first_at, g.last_at, g.is_making, g.is_disputed,
    g.placed_at as until_at, g.end_at, g.read_at as shown_at,
    case when row_number() over policy_in_time > 1 or f.read_at < g.first_at then g.first_at end as from_at,
    lead(g.first_at) over policy_in_time as next_at
from grouped as g
left join due_readings as f on f.is_first and f.series_key = g.series_key
window policy_in_time as (partition by g.series_key order by g.first_at);
