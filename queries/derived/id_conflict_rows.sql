-- Ids of pending events that several events have, in a share of all ids. Two forms of one record may be years apart, so
-- the whole history counts. The hashes show which ids come again and on which days; only ids of those days are read.
create or replace temp table due_ids as
select event_date, id_hash_of(source, id) as id_hash
from due_events($first_time::timestamp, $last_time::timestamp)
where id is not null
  and id_hash_of(source, id) % $shares::ubigint = $share::ubigint;

-- In this order a hash takes four bytes.
insert into id_hash_rows by name
select event_date, id_hash
from due_ids
order by event_date, id_hash;

create or replace temp table several_ids as
select id_hash
from id_hash_rows
where id_hash in (select d.id_hash from due_ids as d)
group by id_hash
having count(*) > 1;

delete from id_conflict_rows
where id_hash_of(source, id) in (select s.id_hash from several_ids as s);

insert into id_conflict_rows by name
select source, id, count(*) as versions, min(event_time) as first_event_time
from event_rows
where event_date in (
    select h.event_date
    from id_hash_rows as h
    where h.id_hash in (select s.id_hash from several_ids as s)
)
  and id is not null
  and id_hash_of(source, id) in (select s.id_hash from several_ids as s)
group by source, id
having count(*) > 1
order by source, id;

drop table due_ids;

drop table several_ids;
