-- name: of_due
-- Which ids of the events that are due stand for several events, in a share of all ids. Two forms of one record may be
-- years apart. They are therefore looked for among all events, once for all that is due. Few ids are such: they are
-- told by a hash of eight bytes first, and counted after that.
create or replace temp table several_ids as
with
due as (
    select hash(source, id) as id_hash
    from event_rows
    where read_id in (select d.read_id from fold_due as d)
      and event_time between $first_time::timestamp and $last_time::timestamp
      and id is not null
),
held as (
    select hash(source, id) as id_hash
    from event_rows
    where id is not null
)
select h.id_hash
from held as h
semi join due as d on d.id_hash = h.id_hash
where h.id_hash % $shares::ubigint = $share::ubigint
group by h.id_hash
having count(*) > 1;

delete from id_conflict_rows
where hash(source, id) in (select s.id_hash from several_ids as s);

insert into id_conflict_rows by name
select source, id, count(*) as versions, min(event_time) as first_event_time
from event_rows
where id is not null
  and hash(source, id) in (select s.id_hash from several_ids as s)
group by source, id
having count(*) > 1
order by source, id;

drop table several_ids;

-- name: of_all
-- The same where all events are due and none is known: what stands for several events, in a share of all ids.
insert into id_conflict_rows by name
select source, id, count(*) as versions, min(event_time) as first_event_time
from event_rows
where id is not null
  and event_time between $first_time::timestamp and $last_time::timestamp
  and hash(id) % $shares::ubigint = $share::ubigint
group by source, id
having count(*) > 1
order by source, id;
