-- The sources that anything is known of.
select source
from ingest_runs
union
select source
from user_history
order by source;
