-- When the user list of each source was read last.
select source, strftime(max(read_at), '%Y-%m-%d %H:%M:%S.%g') as read_at
from directory_readings
group by source
order by source;
