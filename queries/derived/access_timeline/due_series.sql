-- The series of subjects with a pending timeline. A series changes as one: a set, a share, a flag, or one membership.
-- In the following steps series_key replaces its five columns, holder_key all but the last. A policy has one series,
-- its set. The flags of users also depend on the directory.
create or replace temp table due_series as
with
due as (
    select distinct source, subject_kind, subject_id from access_due
),
named as (
    select m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id
    from permission_mark_rows as m
    semi join due as d
        on d.source = m.source and d.subject_kind = m.subject_kind and d.subject_id = m.subject_id
    where m.is_statement
      and m.subject_id <> ''
    union
    select s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id
    from permission_span_rows as s
    semi join due as d
        on d.source = s.source and d.subject_kind = s.subject_kind and d.subject_id = s.subject_id
    union
    select source, subject_kind, subject_id, 'set' as origin, '' as scope_id
    from due
    where subject_kind = 'policy'
    union
    select d.source, d.subject_kind, d.subject_id, 'flag' as origin, f.operation as scope_id
    from due as d
    cross join (values ('administrator'), ('account_owner')) as f (operation)
    where d.subject_kind = 'user'
)
select
    row_number() over () as series_key,
    dense_rank() over (order by source, subject_kind, subject_id, origin) as holder_key,
    source, subject_kind, subject_id, origin, scope_id
from named;
