-- The newest read of the database, and whether it knows all reads of a list of ids: reads that it holds, that a prune
-- took, and that were undone.
with
asked as (
    select unnest(from_json($read_ids::json, '["varchar"]')) as read_id
),
known as (
    select read_id from window_reads
    union all
    select read_id from pruned_reads
    union all
    select read_id from undone_reads
)
select
    max_by(r.read_id, (r.read_at, r.read_id)) as newest_read,
    (select count(*) = 0 from asked as a anti join known as k on k.read_id = a.read_id) as is_known
from window_reads as r;
