delete from source_ids where source = $source;

insert into source_ids (source, id_at) values ($source, $id_at);
