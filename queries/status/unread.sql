-- Of which times the log of each source was not read: before the first that was, between, and behind the last. A window
-- was read up to its end, or to when it was asked for. Of files nobody knows what they leave out. They count as read
-- from their first event on, up to the first window; where there is none, to their last event.
create or replace temp table unread_log as
with
windows as (
    select
        source, window_start as seen_from, least(window_end, coalesce(server_time, read_at)) as seen_until
    from window_reads
    where window_start is not null
      and not is_mark
      and not neutral
      and window_start < coalesce(server_time, read_at)
),
sources as (
    select source, min(seen_from) as first_window
    from windows
    group by source
),
imported as (
    select source, first_event, last_event
    from (
        select unnest(from_json(
            $imported, '[{"source": "varchar", "first_event": "timestamp", "last_event": "timestamp"}]'
        ), recursive := true)
    )
    where first_event is not null
),
seen as (
    select source, seen_from, seen_until from windows
    union all
    select i.source, i.first_event as seen_from, coalesce(s.first_window, i.last_event) as seen_until
    from imported as i
    left join sources as s on s.source = i.source
    where s.first_window is null or i.first_event < s.first_window
),
reached as (
    select
        source, seen_from,
        max(seen_until) over (
            partition by source order by seen_from, seen_until
            rows between unbounded preceding and 1 preceding
        ) as seen_before
    from seen
),
ends as (
    select source, max(seen_until) as seen_until
    from seen
    group by source
)
select source, seen_before as unread_from, seen_from as unread_until, null as is_service
from reached
where seen_before is null or seen_before < seen_from
union all
select e.source, e.seen_until as unread_from, null as unread_until, s.source is not null as is_service
from ends as e
left join sources as s on s.source = e.source;

select
    source, cast(unread_from as varchar) as unread_from, cast(unread_until as varchar) as unread_until,
    coalesce(is_service, false) as is_service
from unread_log
where $source is null or source = $source
order by source, unread_from nulls first
