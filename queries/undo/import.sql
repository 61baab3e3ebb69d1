-- The loaded import that a read or a run names.
select read_id, run_id, source
from window_reads
where window_start is null and not is_mark and (read_id = $name or run_id = $name)
order by read_id;
