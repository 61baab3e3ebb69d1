-- The sets that readings show, as fingerprints, of policies with a reading that the log may have an order for
-- (is_doubtful). With each are the reading before it, and when the log had its last change before the interval.
create or replace temp table shown_sets as
with
open_readings as (
    select distinct series_key, read_at
    from near_changes
    where is_open
),
readings as (
    select
        r.series_key, r.read_at, r.state, r.earliest_at, o.series_key is not null as is_open,
        not r.is_dated or o.series_key is not null as is_doubtful
    from read_intervals as r
    left join open_readings as o on o.series_key = r.series_key and o.read_at = r.read_at
),
doubtful as (
    select distinct series_key from readings where is_doubtful
),
-- A set changes only where a reading shows that a permission began or ended.
moments as (
    select series_key, valid_from as changed_at from read_permissions
    union
    select series_key, valid_to as changed_at from read_permissions where valid_to is not null
),
sets as (
    select
        m.series_key, m.changed_at,
        set_key(list(distinct p.permission) filter (where p.permission is not null)) as shown_set
    from moments as m
    semi join doubtful as q on q.series_key = m.series_key
    left join read_permissions as p
        on p.series_key = m.series_key
        -- Plain comparisons: others of a left join compare every pair of rows.
        and p.valid_from <= m.changed_at and coalesce(p.valid_to, 'infinity') > m.changed_at
    group by m.series_key, m.changed_at
),
shown as (
    select
        r.series_key, r.read_at, r.earliest_at, r.is_open, r.is_doubtful,
        case when r.state = 'gone' then gone_key() else coalesce(s.shown_set, set_key([])) end as shown_set
    from readings as r
    semi join doubtful as q on q.series_key = r.series_key
    asof left join sets as s on s.series_key = r.series_key and s.changed_at <= r.read_at
)
select
    s.series_key, s.read_at, s.shown_set, s.is_open, s.is_doubtful,
    lag(s.read_at) over policy_in_time as read_before,
    lag(s.shown_set) over policy_in_time as shown_before,
    c.changed_at as changed_before
from shown as s
asof left join logged_sets as c on c.series_key = s.series_key and c.changed_at < s.earliest_at
window policy_in_time as (partition by s.series_key order by s.read_at);
