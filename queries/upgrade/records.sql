-- The records of a page of a read, one to a line. Their order means nothing: which record of its page an event was is
-- not kept.
select r.record
from old.records as r
where r.read_id = $read_id
  and r.page = $page
  and r.row_id not in (select m.row_id from moved as m)
union all
select r.record
from moved as m
inner join old.records as r on r.row_id = m.row_id
where m.read_id = $read_id and m.page = $page;
