-- Previous page directions of the sources with pending reads: if a direction changes, changes of one second are ordered
-- again.
create or replace temp table former_directions as
select source, direction from read_directions();
