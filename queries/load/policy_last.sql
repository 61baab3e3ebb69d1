-- The snapshot with the newest time of a source.
select snapshot_id, epoch_ms(read_at) as read_ms
from policy_snapshots
where source = $source
order by read_at desc, snapshot_id desc
limit 1;
