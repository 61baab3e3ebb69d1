-- The names of which the catalog says something else than before; all of them where the rules have changed.
create or replace temp table changed_names as
select
    coalesce(f.recorded_name, n.recorded_name) as recorded_name,
    coalesce(f.is_folded, false) or coalesce(n.is_folded, false) as is_folded
from former_names as f
full outer join name_signatures() as n on n.recorded_name = f.recorded_name
where $is_all or n.signature is distinct from f.signature;

-- One that is due already begins again.
delete from rematch_due
where recorded_name in (select c.recorded_name from changed_names as c);

insert into rematch_due (recorded_name, is_folded)
select c.recorded_name, c.is_folded
from changed_names as c
semi join event_rows as e on e.event_name = c.recorded_name
order by c.recorded_name;
