-- Where the nightly reading of each source goes on.
select source, epoch_ms(sealed_until) as sealed_ms
from checkpoints
where $source is null or source = $source
order by source;
