-- The dotted path of what names the records of a source, where it is not `id`. The rows of a source have one.
create table source_ids (
    source varchar not null,
    id_at varchar not null
);

-- Records without an id that a read took for known although their unknown fields differ from those of every stored one.
alter table window_reads add column unlike bigint;
