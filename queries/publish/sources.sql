-- The sources that anything is kept of.
select source
from ingest_runs
union
select source
from user_history
union
select source
from policy_snapshots
order by source;
