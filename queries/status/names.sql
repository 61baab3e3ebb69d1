-- The sources that the ledger knows.
select source from ingest_runs
union
select source from window_reads
union
select source from checkpoints
order by source;
