-- How much of that time goes, and which reads have some of it in their pages.
with
old as (
    select
        read_id,
        count(*) filter (where event_key not in (select k.event_key from kept_events as k)) as events
    from event_rows
    where event_time < $before::timestamp and ($source is null or source = $source)
    group by read_id
)
select
    (select coalesce(sum(events), 0)::bigint from old) as events,
    (select count(*) from old_quarantine) as quarantined,
    (select coalesce(list(read_id order by read_id), []) from old) as read_ids;
