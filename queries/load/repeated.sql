-- The keys that a read has more than once.
create or replace temp table repeated_keys as
select event_key
from event_rows
where read_id = $read_id
group by event_key
having count(*) > 1;

-- The rows of a read whose key it has more than once, and whether some of a part are on different pages. `content` is
-- what the key leaves out.
create or replace temp table repeated as
select
    r.rowid as row_id,
    r.event_key,
    r.event_date,
    r.event_time,
    r.page_number,
    r.record_number,
    coalesce(list_extract($parts, r.page_number + 1), 0) as part,
    r.id is not null as has_id,
    content_text(r.extra) as content
from event_rows as r
inner join repeated_keys as c on c.event_key = r.event_key
where r.read_id = $read_id;

select count(*) > 0 as is_scattered
from (
    select event_key
    from repeated
    group by event_key, part
    having min(page_number) < max(page_number)
) as s;
