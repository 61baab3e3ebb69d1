-- The policies that stand at a moment, and of which nothing tells what they hold. The log does not show them being made,
-- no change in it states their set, and no snapshot was taken of them.
create or replace temp table untold_policies as
with
-- part: standing
untold as (
    select source, policy_id, policy_name from standing where is_told = 0
)
select source, policy_id, policy_name from untold
