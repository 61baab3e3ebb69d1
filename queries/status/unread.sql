-- Times that the log of each source does not cover: before the first read, between reads, and after the last;
-- everything if nothing was read. A window counts up to its end, or to the time of its request. Windows that the
-- service no longer had completely do not count. Omissions in files are unknown: files cover the time from their first
-- event to their last one before the first window; later events of files extend the log. An hour without events is not
-- missing. Pruned events are reported separately, since rights continue without them.
create or replace temp table unread_log as
with
asked as (
    select
        source, window_start as seen_from, least(window_end, least(read_at, coalesce(server_time, read_at))) as seen_until, neutral
    from window_reads
    where window_start is not null
      and not is_mark
      and window_start < least(read_at, coalesce(server_time, read_at))
),
known as (
    select source from ingest_runs
    union
    select source from user_history
    union
    select source from policy_snapshots
    union
    select source from window_reads
),
sources as (
    select
        k.source, min(a.seen_from) filter (where not a.neutral) as first_window,
        max(a.seen_until) filter (where not a.neutral) as last_window
    from known as k
    left join asked as a on a.source = k.source
    group by k.source
),
imported as (
    select source, first_event, last_before, last_event
    from (
        select unnest(from_json(
            $imported,
            '[{"source": "varchar", "first_event": "timestamp", "last_before": "timestamp", "last_event": "timestamp"}]'
        ), recursive := true)
    )
),
seen as (
    select source, seen_from, seen_until from asked where not neutral
    union all
    select
        i.source, i.first_event as seen_from,
        case
            when s.first_window - i.last_before <= interval '1 hour' then s.first_window
            else i.last_before
        end as seen_until
    from imported as i
    inner join sources as s on s.source = i.source
    where i.last_before is not null
    union all
    select i.source, i.last_event as seen_from, i.last_event as seen_until
    from imported as i
    inner join sources as s on s.source = i.source
    where i.last_event > s.last_window
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
select source, seen_before as unread_from, seen_from as unread_until, false as is_pruned
from reached
where seen_before is null or seen_before < seen_from
union all
select s.source, e.seen_until as unread_from, null as unread_until, false as is_pruned
from sources as s
left join ends as e on e.source = s.source
union all
select s.source, null as unread_from, max(p.before_time) as unread_until, true as is_pruned
from sources as s
inner join prunes as p on p.source is null or p.source = s.source
where p.with_events
  and p.events > 0
group by s.source;

-- The same, with the end of the read range of each source.
select
    u.source, cast(u.unread_from as varchar) as unread_from, cast(u.unread_until as varchar) as unread_until,
    u.is_pruned, cast(r.read_up_to as varchar) as read_up_to
from unread_log as u
left join (
    select source, max(least(window_end, least(read_at, coalesce(server_time, read_at)))) as read_up_to
    from window_reads
    where window_start is not null and not is_mark
    group by source
) as r on r.source = u.source
where $source is null or u.source = $source
order by u.source, u.is_pruned, u.unread_from nulls first, u.unread_until
