-- The windows of a source, or of all, put down once: the view takes longer to plan than all that is asked of them.
create or replace temp table known_windows as
select source, window_start, window_end, state, reads, reason, signs, last_read_at, vanished
from ingest_windows
where $source is null or source = $source;

-- How far each source was asked for, or a person accepted what is missing. The clock of the service says when that was,
-- as in unread.sql: it had nothing of what came later.
create or replace temp table known_reach as
select source, max(least(window_end, least(read_at, coalesce(server_time, read_at)))) as read_up_to
from window_reads
where window_start is not null and ($source is null or source = $source)
group by source;
