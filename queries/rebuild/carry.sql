-- The rest of a read from the attached database: its records in quarantine, its row and its pages.
insert into quarantine by name
select q.*
from old.quarantine as q
where exists (
    select 1
    from old.ingest_pages as p
    where p.read_id = $read_id and p.run_id = q.run_id and p.sha256 = q.sha256 and p.page = q.page
)
  and not exists (select 1 from quarantine as k where k.quarantine_key = q.quarantine_key)
order by q.quarantine_key;

insert into window_reads by name
select r.* from old.window_reads as r where r.read_id = $read_id;

insert into ingest_pages by name
select p.* from old.ingest_pages as p where p.read_id = $read_id order by p.page;
