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
