-- name: make
-- The actions of a Delta checkpoint in the form that the specification of Delta tables gives them, from lines of JSON.
create or replace temp table lake_checkpoint as
select protocol, "metaData", add, remove, txn
from read_json($path, format = 'newline_delimited', columns = {
    protocol: 'struct(
        "minReaderVersion" integer, "minWriterVersion" integer,
        "readerFeatures" varchar[], "writerFeatures" varchar[])',
    'metaData': 'struct(
        id varchar, "name" varchar, description varchar, format struct(provider varchar, options map(varchar, varchar)),
        "schemaString" varchar, "partitionColumns" varchar[], configuration map(varchar, varchar),
        "createdTime" bigint)',
    add: 'struct(
        path varchar, "partitionValues" map(varchar, varchar), size bigint, "modificationTime" bigint,
        "dataChange" boolean, stats varchar, tags map(varchar, varchar))',
    remove: 'struct(
        path varchar, "deletionTimestamp" bigint, "dataChange" boolean, "extendedFileMetadata" boolean,
        "partitionValues" map(varchar, varchar), size bigint)',
    txn: 'struct("appId" varchar, version bigint, "lastUpdated" bigint)'
});

-- name: read
-- The actions of a Delta checkpoint, a line of JSON each.
select cast(to_json(c) as varchar) as action
from read_parquet($path, hive_partitioning = false) as c;
