-- The sources that files were imported of.
select distinct source
from window_reads
where window_start is null
order by source
