-- The sources whose records are named by something other than `id`.
select source, id_at
from source_ids
order by source;
