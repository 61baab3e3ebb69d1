-- From when to when the log of each source was read. A window says it of itself; of an imported file its events do.
create or replace temp table log_ranges as
with
windows as (
    select
        source, min(window_start) as read_from, max(least(window_end, coalesce(server_time, read_at))) as read_until
    from window_reads
    where window_start is not null
      and not is_mark
    group by source
),
files as (
    select e.source, min(e.event_time) as read_from, max(e.event_time) as read_until
    from event_rows as e
    semi join (select source from window_reads where window_start is null) as r on r.source = e.source
    group by e.source
),
ranges as (
    select source, read_from, read_until from windows
    union all
    select source, read_from, read_until from files
)
select source, min(read_from) as read_from, max(read_until) as read_until
from ranges
group by source
