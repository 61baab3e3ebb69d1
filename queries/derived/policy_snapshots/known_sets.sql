-- The sets that the log has for a reading: a reading that shows one of them agrees with the log.
create or replace temp table known_sets as
select s.series_key, s.read_at, c.left_set as known_set
from shown_sets as s
inner join logged_sets as c on c.series_key = s.series_key and c.changed_at = s.changed_before
where s.is_doubtful
union all
select series_key, read_at, unnest([found_set, left_set]) as known_set
from near_changes
union all
-- A deletion needs no statement of the set.
select n.series_key, n.read_at, s.shown_set as known_set
from near_changes as n
inner join shown_sets as s on s.series_key = n.series_key and s.read_at = n.read_at
where s.shown_set <> gone_key()
group by n.series_key, n.read_at, s.shown_set
having bool_or(n.is_deletion) and not bool_or(n.is_making)
union all
-- A change that does not state the earlier set leaves the set that was read before.
select series_key, read_at, shown_before as known_set
from shown_sets
where is_open
  and coalesce(changed_before < read_before, true);
