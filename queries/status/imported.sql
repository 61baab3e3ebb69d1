-- The sources that files were imported of, and where the first window of each begins that was read whole.
select
    source,
    cast(min(window_start) filter (where not is_mark and not neutral) as varchar) as first_window
from window_reads
group by source
having bool_or(window_start is null)
order by source
