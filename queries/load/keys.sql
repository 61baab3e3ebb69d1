-- The keys that the staged records have, and whether one comes twice in a record. Sets of keys are few among
-- millions of records, as a rule; where keys are made up record by record, no more of them are named than it takes
-- to see that.
with
sets as (
    select distinct json_keys(json) as key_set
    from read_json_objects(
        $files, format = 'newline_delimited', hive_partitioning = false, ignore_errors = true,
        maximum_object_size = $record_bytes
    )
),
keys as (
    select distinct unnest(key_set) as key
    from sets
    limit $max_keys
)
select
    (select coalesce(list(key), []) from keys) as keys,
    (select coalesce(bool_or(len(key_set) > len(list_distinct(key_set))), false) from sets) as has_twice;
