-- The windows of a source, or of all, put down once: the view takes longer to plan than all that is asked of them.
create or replace temp table known_windows as
select source, window_start, window_end, state, reads, reason, signs, last_read_at, vanished
from ingest_windows
where $source is null or source = $source;
