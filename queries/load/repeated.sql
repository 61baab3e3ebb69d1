-- The rows of a read whose key it has more than once: as a rule none.
create or replace temp table repeated as
with
counted as (
    select event_key
    from event_rows
    where read_id = $read_id
    group by event_key
    having count(*) > 1
)
select
    r.rowid as row_id,
    r.event_key,
    r.page,
    r.id is not null as has_id,
    row_number() over (partition by r.event_key order by r.page, r.rowid) as ordinal
from event_rows as r
inner join counted as c on c.event_key = r.event_key
where r.read_id = $read_id;

select count(*) as records from repeated;
