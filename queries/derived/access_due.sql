-- name: find
-- Whether timeline rows are pending, or the gaps of the ledger differ from those at the last refresh; one row. A gap
-- was given up, or lies between two reads without a request. A gap of length zero is at the end of the read range if a
-- newer reading of a policy exists: the log of the time between is unknown.
create or replace temp table present_gaps as
with
read_ends as (
    select source, max(least(window_end, least(read_at, coalesce(server_time, read_at)))) as read_until
    from window_reads
    where window_start is not null and not is_mark
    group by source
),
stretches as (
    select
        source, stretch_start, stretch_end,
        case when stretch_start = lag(stretch_end) over (partition by source order by stretch_start) then 0 else 1 end
            as opens
    from read_stretches
    where coalesce(state, 'gap') = 'gap'
),
numbered as (
    select
        source, stretch_start, stretch_end,
        sum(opens) over (
            partition by source order by stretch_start
            rows between unbounded preceding and current row
        ) as place
    from stretches
)
select source, min(stretch_start) as gap_start, max(stretch_end) as gap_end
from numbered
group by source, place
union
select e.source, e.read_until as gap_start, e.read_until as gap_end
from read_ends as e
semi join policy_snapshots as s on s.source = e.source and s.read_at > e.read_until;

create or replace temp table moved_gaps as
select
    coalesce(p.source, g.source) as source,
    bool_and(coalesce(p.gap_start = p.gap_end, g.gap_start = g.gap_end)) as is_end
from present_gaps as p
full join access_gap_rows as g
    on g.source = p.source and g.gap_start = p.gap_start and g.gap_end = p.gap_end
where p.source is null or g.source is null
group by coalesce(p.source, g.source);

select exists (select 1 from moved_gaps) or exists (select 1 from access_due) as is_due;

-- name: all
-- Subjects of snapshots and of the user directory; subjects of the log follow with their events.
insert into access_due (source, subject_kind, subject_id)
select distinct source, 'policy' as subject_kind, policy_id as subject_id
from policy_snapshots
union
select distinct source, 'user' as subject_kind, cast(user_id as varchar) as subject_id
from user_history;

-- name: touched
-- Subjects with pending timeline rows: those with refreshed permission intervals, and created or deleted policies.
insert into access_due (source, subject_kind, subject_id)
select distinct source, subject_kind, subject_id
from touched_series
union
select distinct source, 'policy' as subject_kind, resource_id as subject_id
from due_access_rows()
where canonical_name in ('permission_policy_create', 'permission_policy_delete')
  and is_successful
  and resource_id <> '';

-- name: gaps
-- Where the ledger has other gaps than before, everybody of that source is due. Where only the end of what was read has
-- moved, its policies are due that snapshots were taken of.
insert into access_due (source, subject_kind, subject_id)
select distinct s.source, s.subject_kind, s.subject_id
from permission_span_rows as s
semi join moved_gaps as m on m.source = s.source and not m.is_end
union
select distinct s.source, s.subject_kind, s.subject_id
from permission_mark_rows as s
semi join moved_gaps as m on m.source = s.source and not m.is_end
where s.is_statement and s.subject_id <> ''
union
select distinct s.source, 'policy' as subject_kind, s.policy_id as subject_id
from policy_snapshots as s
semi join moved_gaps as m on m.source = s.source;

delete from access_gap_rows;

insert into access_gap_rows (source, gap_start, gap_end)
select source, gap_start, gap_end
from present_gaps
order by source, gap_start;
