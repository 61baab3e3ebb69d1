-- Windows whose newest read lacked rows that the store holds: the service has forgotten or removed them.
select window_start, window_end, last_read_at, vanished
from known_windows
where source = $source and vanished > 0
order by window_start;
