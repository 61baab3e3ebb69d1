-- The records of a read, page by page.
with
placed as (
    select r.page, r.row_id, r.record
    from old.records as r
    where r.read_id = $read_id and r.row_id not in (select m.row_id from moved as m)
    union all
    select m.page, r.row_id, r.record
    from moved as m
    inner join old.records as r on r.row_id = m.row_id
    where m.read_id = $read_id
)
select page, record
from placed
order by page, row_id;
