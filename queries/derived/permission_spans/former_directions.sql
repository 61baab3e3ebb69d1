-- How the sources of the reads that are due ran before: where that changes, changes of one second are placed anew.
create or replace temp table former_directions as
select source, direction from read_directions();
