-- The last list of a source of which anything was taken, where it was held back.
with
taken as (
    select read_at, verdict
    from directory_readings
    where source = $source
      and verdict not in ('empty', 'faulty')
    order by read_at desc
    limit 1
)
select strftime(read_at, '%Y-%m-%d %H:%M:%S.%g') as read_at
from taken
where verdict = 'held_back';
