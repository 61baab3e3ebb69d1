-- The newest read of a window.
select state, digest
from window_reads
where source = $source and window_start = $window_start::timestamp and window_end = $window_end::timestamp
order by read_at desc, read_id desc
limit 1;
