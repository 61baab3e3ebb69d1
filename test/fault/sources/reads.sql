-- Every read of a window: which source, when, and how many records came.
select
    source,
    epoch_ms(read_at) as read_ms,
    epoch_ms(window_start) as from_ms,
    epoch_ms(window_end) as to_ms,
    fetched
from window_reads
order by source, read_at, window_start;
