-- The reads that a database holds, each with its moment as a manifest writes it.
select read_id, strftime(read_at, '%Y-%m-%d %H:%M:%S.%g') as read_at
from window_reads
where not is_mark
order by read_id;
