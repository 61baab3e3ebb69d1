-- The time of each source cut where a read begins or ends, each interval with the newest read of it. Read_id is null
-- where nothing was read.
create or replace view read_stretches as
with
borders as (
    select source, window_start as border from window_reads where window_start is not null
    union
    select source, window_end as border from window_reads where window_start is not null
),
stretches as (
    select
        source, border as stretch_start,
        lead(border) over (partition by source order by border) as stretch_end
    from borders
)
select
    s.source, s.stretch_start, s.stretch_end,
    count(r.read_id) filter (where not r.is_mark) as reads,
    min(r.read_at) filter (where not r.is_mark) as first_read_at,
    arg_max(r.read_id, (r.read_at, r.read_id)) as read_id,
    arg_max(r.state, (r.read_at, r.read_id)) as state
from stretches as s
left join window_reads as r
    on r.source = s.source and r.window_start <= s.stretch_start and r.window_end >= s.stretch_end
where s.stretch_end is not null
group by s.source, s.stretch_start, s.stretch_end;

-- The present windows: each moment belongs to its newest read, so windows do not overlap. A window that was too dense
-- appears as its parts. `reason` says why a closed window is not final, `evidence` shows that a final one is complete,
-- `signs` contradict its newest read.
create or replace view ingest_windows as
with
marked as (
    select
        source, stretch_start, stretch_end, reads, first_read_at, read_id,
        case
            when read_id is distinct from lag(read_id) over (partition by source order by stretch_start) then 1
            else 0
        end as is_next
    from read_stretches
),
numbered as (
    select
        source, stretch_start, stretch_end, reads, first_read_at, read_id,
        sum(is_next) over (
            partition by source order by stretch_start
            rows between unbounded preceding and current row
        ) as place
    from marked
),
joined as (
    select
        source, place, read_id,
        min(stretch_start) as window_start,
        max(stretch_end) as window_end,
        max(reads) as reads,
        min(first_read_at) as first_read_at
    from numbered
    where read_id is not null
    group by source, place, read_id
),
brought as (
    select
        j.source, j.place,
        sum(r.inserted)::bigint as inserted,
        sum(r.quarantined)::bigint as quarantined
    from joined as j
    inner join window_reads as r
        on r.source = j.source and r.window_start >= j.window_start and r.window_end <= j.window_end
    group by j.source, j.place
)
select
    j.source, j.window_start, j.window_end, r.state, j.reads, j.first_read_at, r.read_at as last_read_at,
    r.run_id, r.reason, r.evidence, r.signs, r.note, r.fetched,
    coalesce(b.inserted, 0) as inserted,
    coalesce(b.quarantined, 0) as quarantined,
    r.vanished, r.digest
from joined as j
inner join window_reads as r on r.source = j.source and r.read_id = j.read_id
left join brought as b on b.source = j.source and b.place = j.place;

-- The final range, and where scheduled reads resume. final_from to final_until is the newest interval without a gap
-- that is finalized or accepted. resume_from is the checkpoint, or an earlier interval since the first scheduled run
-- that is neither of these nor given up as a gap.
create or replace view final_up_to as
with
scheduled as (
    select r.source, min(r.window_start) as first_start
    from window_reads as r
    inner join ingest_runs as i on i.run_id = r.run_id
    where i.command = 'ingest' and r.window_start is not null
    group by r.source
),
unfinalized as (
    select s.source, min(s.stretch_start) as first_unfinalized
    from read_stretches as s
    inner join scheduled as n on n.source = s.source
    where s.stretch_start >= n.first_start
      and coalesce(s.state, 'unread') not in ('finalized', 'accepted', 'gap')
    group by s.source
),
resumed as (
    select c.source, least(c.finalized_until, coalesce(u.first_unfinalized, c.finalized_until)) as resume_from
    from checkpoints as c
    left join unfinalized as u on u.source = c.source
),
final as (
    select
        source, stretch_start, stretch_end,
        case
            when stretch_start is distinct from lag(stretch_end) over (partition by source order by stretch_start) then 1
            else 0
        end as is_next
    from read_stretches
    where state in ('finalized', 'accepted')
),
placed as (
    select
        source, stretch_start, stretch_end,
        sum(is_next) over (
            partition by source order by stretch_start
            rows between unbounded preceding and current row
        ) as place
    from final
),
runs as (
    select source, place, min(stretch_start) as final_from, max(stretch_end) as final_until
    from placed
    group by source, place
),
newest as (
    select
        source,
        arg_max(final_from, place) as final_from,
        max(final_until) as final_until
    from runs
    group by source
)
select
    coalesce(n.source, r.source) as source,
    n.final_from, n.final_until, r.resume_from
from newest as n
full join resumed as r on r.source = n.source;
