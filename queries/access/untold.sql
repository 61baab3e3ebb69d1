-- The policies that stand at a moment, and of which nothing ever told what they hold. The log does not show them being
-- made, no change in it states their set, and no snapshot was taken of them.
create or replace temp table untold_policies as
with
stated as (
    select source, subject_id as policy_id
    from permission_mark_rows
    where subject_kind = 'policy'
      and is_statement
    union
    select source, policy_id
    from policy_snapshots
    where state <> 'gone'
)
select p.source, p.policy_id, p.policy_name
from policies as p
left join stated as s on s.source = p.source and s.policy_id = p.policy_id
where s.policy_id is null
  and p.created_at is null
  and coalesce(p.deleted_at > $on::timestamp, true)
