-- The reads that a database of version 1 holds, each with its moment as a manifest writes it.
select read_id, strftime(read_at, '%Y-%m-%d %H:%M:%S.%g') as read_at
from window_reads
order by read_id;
