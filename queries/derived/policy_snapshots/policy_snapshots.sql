-- The place of each reading of the policies that are due among the changes in the log. `ordered` where no change lies
-- within the interval of the reading: it comes after those before it. `agreed` where it shows the set before or after
-- a change of its interval: the log has the order, and the reading adds nothing. `disputed` where it shows another set,
-- so that it is unknown which of the two came last. A reading without a time of the service agrees, too, where the log
-- had its set.
update policy_snapshots as s
set place = 'ordered'
from access_due as d
where d.source = s.source and d.subject_kind = 'policy' and d.subject_id = s.policy_id
  and s.place <> 'ordered';

update policy_snapshots as s
set place = p.place
from (
    select
        t.source, t.subject_id as policy_id, r.read_at,
        case
            when exists (
                select 1 from known_sets as k
                where k.series_key = r.series_key and k.read_at = r.read_at and k.known_set = r.shown_set
            ) and (
                r.is_open or coalesce(r.shown_before = r.shown_set or r.read_before < r.changed_before, true)
            ) then 'agreed'
            when r.is_open then 'disputed'
            else 'ordered'
        end as place
    from shown_sets as r
    inner join due_series as t on t.series_key = r.series_key
    where r.is_doubtful
) as p
where p.source = s.source and p.policy_id = s.policy_id and p.read_at = s.read_at
  and p.place <> 'ordered';

drop table read_intervals;

drop table logged_sets;

drop table near_changes;

drop table shown_sets;

drop table known_sets;
