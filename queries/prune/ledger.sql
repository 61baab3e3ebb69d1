-- The prunes that a database knows of, with the reads of each.
select
    p.prune_id,
    strftime(p.pruned_at, '%Y-%m-%d %H:%M:%S.%g') as pruned_at,
    cast(p.before_time as varchar) as before_time,
    p.source, p.with_events, p.keeps_folds, p.events, p.quarantined,
    (select coalesce(list(r.read_id order by r.read_id), []) from pruned_reads as r where r.prune_id = p.prune_id) as read_ids
from prunes as p
order by p.pruned_at, p.prune_id;
