-- Changes within the interval of a reading. is_open: the reading may have come before or after the change. A reading
-- that shows a policy, by the time of the service, came after its creation.
create or replace temp table near_changes as
select
    r.series_key, r.read_at, c.changed_at, c.found_set, c.left_set, c.is_making, c.is_deletion,
    not (c.is_making and r.is_dated and r.state <> 'gone') as is_open
from read_intervals as r
inner join logged_sets as c
    on c.series_key = r.series_key and c.changed_at >= r.earliest_at and c.changed_at < r.latest_at;
