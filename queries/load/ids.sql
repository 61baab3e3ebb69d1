-- name: of_source
-- What names the records of a source, and whether anything of it was read.
select
    (select max(id_at) from source_ids where source = $source) as id_at,
    exists (
        select 1
        from window_reads
        where source = $source and not is_mark and read_id not in (select u.read_id from undone_reads as u)
    ) as has_reads;

-- name: all
-- The sources whose records are named by something other than `id`.
select source, id_at
from source_ids
order by source;

-- name: record
delete from source_ids where source = $source;

insert into source_ids (source, id_at) values ($source, $id_at);
