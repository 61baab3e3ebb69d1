-- The checkpoint moves over sealed windows without a gap, and never backwards.
create or replace temp table next_checkpoint as
with recursive
latest as (
    select window_start, window_end, arg_max(state, (read_at, read_id)) as state
    from window_reads
    where source = $source and window_start is not null
    group by window_start, window_end
),
sealed as (
    select coalesce(max(sealed_until), $from_time::timestamp) as until
    from checkpoints
    where source = $source
    union all
    select l.window_end as until
    from sealed as s
    inner join latest as l on l.window_start <= s.until and l.window_end > s.until and l.state = 'sealed'
)
select max(until) as sealed_until from sealed;

delete from checkpoints where source = $source;

insert into checkpoints (source, sealed_until, run_id, updated_at)
select $source as source, sealed_until, $run_id as run_id, $seen_at::timestamp as updated_at
from next_checkpoint;
