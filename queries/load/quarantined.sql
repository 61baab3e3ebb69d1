-- name: drop_overlapping
-- Drops unreadable records that parts of a read which overlap show again: the part that shows most of a text counts.
-- Returns the page of each that is dropped.
delete from rejects
where rowid in (
    with
    in_parts as (
        select rowid as row_id, record_text, coalesce(list_extract($parts, page + 1), 0) as part
        from rejects
    ),
    by_part as (
        select record_text, part, count(*) as copies
        from in_parts
        group by record_text, part
    ),
    fullest as (
        select record_text, arg_max(part, (copies, -part)) as part
        from by_part
        group by record_text
    )
    select i.row_id
    from in_parts as i
    inner join fullest as f on f.record_text = i.record_text
    where f.part <> i.part
)
returning page;

-- name: keep
-- Keeps records that cannot be read, each once however often it is read again.
insert into quarantine (
    quarantine_key, source, run_id, sha256, page, reason, record_text, first_seen_at
)
with
numbered as (
    select
        page, sha256, reason, record_text,
        md5($source || chr(30) || record_text || chr(30)
            || row_number() over (partition by record_text order by page)) as quarantine_key
    from rejects
)
select
    n.quarantine_key, $source as source, $run_id as run_id, n.sha256, n.page, n.reason, n.record_text,
    $seen_at::timestamp as first_seen_at
from numbered as n
where not exists (select 1 from quarantine as q where q.quarantine_key = n.quarantine_key)
order by n.page, n.quarantine_key;
