-- When a source was last read, by the clock of the machine that read it. Files do not count.
select epoch_ms(max(read_at)) as newest_ms
from window_reads
where source = $source and window_start is not null and not is_mark;
