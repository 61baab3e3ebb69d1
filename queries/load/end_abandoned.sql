-- A run that is still said to be at work, while another holds the lock, was killed.
update ingest_runs
set outcome = 'interrupted', error = 'its process ended before the run did'
where outcome = 'running';
