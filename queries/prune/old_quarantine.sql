-- Quarantined records have no time that could be read: each is as old as the newest read that its page came with. A
-- read is as old as the end of its window. One of a file is as old as the latest event that it brought or, without any,
-- as the moment it was read.
create or replace temp table old_quarantine as
with
brought as (
    select read_id, max(event_time) as last_event_time
    from event_rows
    group by read_id
),
pages as (
    select p.source, p.sha256, max(coalesce(r.window_end, b.last_event_time, r.read_at)) as until
    from ingest_pages as p
    inner join window_reads as r on r.read_id = p.read_id
    left join brought as b on b.read_id = p.read_id
    group by p.source, p.sha256
)
select q.quarantine_key
from quarantine as q
left join pages as p on p.source = q.source and p.sha256 = q.sha256
where coalesce(p.until, q.first_seen_at) <= $before::timestamp
  and ($source is null or q.source = $source);
