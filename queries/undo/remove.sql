-- Takes out what an import brought, and notes it: another read may have shown it, too.
create or replace temp table undone_keys as
select event_key
from event_rows
where read_id = $read_id;

create or replace temp table undone_quarantine as
select q.quarantine_key
from quarantine as q
inner join window_reads as r on r.run_id = q.run_id
where r.read_id = $read_id;

delete from event_rows
where read_id = $read_id;

delete from quarantine
where quarantine_key in (select quarantine_key from undone_quarantine);

create or replace temp table other_quarantine as
select quarantine_key from quarantine;
