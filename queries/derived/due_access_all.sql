-- Of whom snapshots and the user directory tell; those of whom the log tells come with their events.
insert into access_due (source, subject_kind, subject_id)
select distinct source, 'policy' as subject_kind, policy_id as subject_id
from policy_snapshots
union
select distinct source, 'user' as subject_kind, cast(user_id as varchar) as subject_id
from user_history;
