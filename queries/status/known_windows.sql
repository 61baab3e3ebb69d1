-- The windows of one source or all, stored once: planning the view takes longer than the queries on it.
create or replace temp table known_windows as
select source, window_start, window_end, state, reads, reason, signs, last_read_at, vanished
from ingest_windows
where $source is null or source = $source;

-- How far each source was read, or missing data was accepted. As in unread.sql, the service's clock gives the time of a
-- read, which has nothing newer.
create or replace temp table known_reach as
select source, max(least(window_end, least(read_at, coalesce(server_time, read_at)))) as read_up_to
from window_reads
where window_start is not null and ($source is null or source = $source)
group by source;
