-- name: forget
-- Deletes the events of a range, except retained ones, and its quarantined records.
delete from event_rows
where event_time < $before::timestamp and ($source is null or source = $source)
  and event_key not in (select k.event_key from kept_events as k);

delete from quarantine
where quarantine_key in (select quarantine_key from old_quarantine);

-- name: keep
-- What stays of the attached database's events and quarantine.
insert into event_rows by name
select e.*
from old.event_rows as e
where not (e.event_time < $before::timestamp and ($source is null or e.source = $source))
   or e.event_key in (select k.event_key from kept_events as k);

insert into quarantine by name
select q.*
from old.quarantine as q
where q.quarantine_key not in (select o.quarantine_key from old_quarantine as o);

-- name: record
insert into prunes (prune_id, pruned_at, before_time, source, with_events, keeps_folds, reads, events, quarantined)
select
    $prune_id as prune_id, $pruned_at::timestamp as pruned_at, $before::timestamp as before_time, $source as source,
    $with_events as with_events, $keeps_folds as keeps_folds, json_array_length($read_ids::json) as reads, $events as events, $quarantined as quarantined;

insert into pruned_reads (prune_id, read_id)
select $prune_id as prune_id, unnest(from_json($read_ids::json, '["varchar"]')) as read_id;

-- name: withdraw
-- Takes prunes out of the ledger that are to be applied again.
delete from pruned_reads
where prune_id in (select unnest(from_json($prune_ids::json, '["varchar"]')));

delete from prunes
where prune_id in (select unnest(from_json($prune_ids::json, '["varchar"]')));

-- name: ledger
-- The prunes that a database knows of, with the reads of each.
select
    p.prune_id,
    strftime(p.pruned_at, '%Y-%m-%d %H:%M:%S.%g') as pruned_at,
    cast(p.before_time as varchar) as before_time,
    p.source, p.with_events, p.keeps_folds, p.events, p.quarantined,
    (select coalesce(list(r.read_id order by r.read_id), []) from pruned_reads as r where r.prune_id = p.prune_id) as read_ids
from prunes as p
order by p.pruned_at, p.prune_id;
