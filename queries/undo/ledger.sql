-- The reads that were taken back.
select read_id
from undone_reads
order by read_id;
