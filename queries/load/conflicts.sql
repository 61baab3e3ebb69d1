-- How many events a run brought, and how many of them share their id with another event of the days it brought.
with
brought as (
    select event_key, id, event_date
    from event_rows
    where run_id = $run_id
),
days as (
    select min(event_date) as first_date, max(event_date) as last_date from brought
),
held as (
    select e.id, count(*) as events
    from event_rows as e
    cross join days as d
    where e.source = $source
      and e.event_date between d.first_date and d.last_date
      and e.id in (select id from brought)
    group by e.id
    having count(*) > 1
)
select
    count(*) as inserted,
    count(*) filter (where id in (select h.id from held as h)) as conflicts
from brought;
