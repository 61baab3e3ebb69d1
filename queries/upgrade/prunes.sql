-- The prunes that a database of version 1 knows of, with the reads of each; none of them kept anything for a lake.
select
    p.prune_id,
    cast(p.pruned_at as varchar) as pruned_at,
    cast(p.before_time as varchar) as before_time,
    p.source, p.with_events, false as keeps_folds, p.events, p.quarantined,
    (select coalesce(list(r.read_id order by r.read_id), []) from pruned_reads as r where r.prune_id = p.prune_id) as read_ids
from prunes as p
order by p.pruned_at, p.prune_id;
