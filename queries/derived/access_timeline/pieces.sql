-- What policies and users hold, before the gaps of the ledger cut it.
create or replace temp table pieces as
with
all_pieces as (
    select
        series_key, permission, valid_from, valid_to, evidence, is_uncertain, granting, revoking, snapshot_id
    from policy_pieces
    where coalesce(valid_from < valid_to, true)
    union all
    select
        series_key, permission, valid_from, valid_to,
        case when is_uncertain or granting is null then 'inferred' else 'logged' end as evidence,
        is_uncertain, granting, revoking, null as snapshot_id
    from due_spans
    where subject_kind = 'user'
    union all
    -- A flag that the log never names is taken from the directory, whose first reading counts for the time before, too.
    select
        f.series_key, f.permission, f.valid_from, f.valid_to, 'seen' as evidence, false as is_uncertain,
        null as granting, null as revoking, null as snapshot_id
    from listed_flags as f
    anti join due_marks as m on m.series_key = f.series_key
)
select
    row_number() over () as piece_key, series_key, permission,
    valid_from, valid_to, evidence, is_uncertain, granting, revoking, snapshot_id
from all_pieces;
