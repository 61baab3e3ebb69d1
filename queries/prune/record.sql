insert into prunes (prune_id, pruned_at, before_time, source, with_events, keeps_folds, reads, events, quarantined)
select
    $prune_id as prune_id, $pruned_at::timestamp as pruned_at, $before::timestamp as before_time, $source as source,
    $with_events as with_events, $keeps_folds as keeps_folds, json_array_length($read_ids::json) as reads, $events as events, $quarantined as quarantined;

insert into pruned_reads (prune_id, read_id)
select $prune_id as prune_id, unnest(from_json($read_ids::json, '["varchar"]')) as read_id;
