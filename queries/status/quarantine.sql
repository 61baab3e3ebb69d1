-- Records that could not be read as events, by reason.
select source, reason, count(*) as records, max(first_seen_at) as last_seen
from quarantine
where $source is null or source = $source
group by source, reason
order by source, records desc, reason;
