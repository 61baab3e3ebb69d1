-- The imports that were loaded last.
select read_id
from window_reads
where window_start is null and not is_mark
order by read_at desc, read_id desc
limit 3;
