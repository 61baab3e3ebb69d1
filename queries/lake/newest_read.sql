-- The newest read of the database, and whether it knows a read by its id (null: none is asked for).
select
    max_by(read_id, (read_at, read_id)) as newest_read,
    $read_id::varchar is null or coalesce(bool_or(read_id = $read_id), false) as is_known
from window_reads;
