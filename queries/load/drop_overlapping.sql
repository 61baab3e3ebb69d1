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
