-- The checkpoint moves to the first moment after it that is not final, accepted or given up, and never backwards. What a
-- moment's newest read says of it counts.
create or replace temp table next_checkpoint as
with
start as (
    select coalesce(max(finalized_until), $from_time::timestamp) as finalized_until
    from checkpoints
    where source = $source
),
reads as (
    select r.read_id, r.window_start, r.window_end, r.read_at, r.state
    from window_reads as r
    cross join start as s
    where r.source = $source and r.window_end > s.finalized_until
),
borders as (
    select finalized_until as border from start
    union
    select greatest(r.window_start, s.finalized_until) as border from reads as r cross join start as s
    union
    select window_end as border from reads
),
stretches as (
    select border as stretch_start, lead(border) over (order by border) as stretch_end
    from borders
),
states as (
    select s.stretch_start, arg_max(r.state, (r.read_at, r.read_id)) as state
    from stretches as s
    left join reads as r on r.window_start <= s.stretch_start and r.window_end >= s.stretch_end
    group by s.stretch_start
)
-- No read interval starts at the last border, so a first border without these states always exists.
select min(stretch_start) as finalized_until
from states
where coalesce(state, 'unread') not in ('finalized', 'accepted', 'gap');

delete from checkpoints where source = $source;

insert into checkpoints (source, finalized_until, run_id, updated_at)
select $source as source, finalized_until, $run_id as run_id, $seen_at::timestamp as updated_at
from next_checkpoint
where finalized_until is not null;
