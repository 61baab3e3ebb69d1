-- Existing policies at a moment whose permissions are unknown: the log shows neither their creation nor a change that
-- states their set, and no snapshot exists.
create or replace temp table unknown_policies as
with
-- part: standing
unknown as (
    select source, policy_id, policy_name from standing where is_known = 0
)
select source, policy_id, policy_name from unknown
