-- Which ids of the events that are due stand for several events, in a share of all ids: two forms of one record may be
-- years apart, so they are looked for among all events, once for all that is due.
create or replace temp table due_ids as
select distinct source, id
from due_events($first_time::timestamp, $last_time::timestamp)
where id is not null
  and hash(id) % $shares = $share;

delete from id_conflict_rows
where rowid in (
    select c.rowid
    from id_conflict_rows as c
    semi join due_ids as d on d.source = c.source and d.id = c.id
);

insert into id_conflict_rows by name
select e.source, e.id, count(*) as versions, min(e.event_time) as first_event_time
from event_rows as e
semi join due_ids as d on d.source = e.source and d.id = e.id
group by e.source, e.id
having count(*) > 1
order by e.source, e.id;

drop table due_ids;
