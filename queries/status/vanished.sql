-- Windows with stored rows missing from their newest read: the service no longer returns them.
select window_start, window_end, last_read_at, vanished
from known_windows
where source = $source and vanished > 0
order by window_start;
