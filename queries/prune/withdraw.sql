-- Takes prunes out of the ledger that are to be applied again.
delete from pruned_reads
where prune_id in (select unnest(from_json($prune_ids::json, '["varchar"]')));

delete from prunes
where prune_id in (select unnest(from_json($prune_ids::json, '["varchar"]')));
