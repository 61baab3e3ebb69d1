-- How many records a run took for known although their unknown fields differ.
select coalesce(sum(unlike), 0) as unlike
from window_reads
where run_id = $run_id and not is_mark;
