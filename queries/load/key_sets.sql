-- The sets of keys that the staged records have: few among millions of records.
select distinct json_keys(json) as key_set
from read_json_objects(
    $files, format = 'newline_delimited', ignore_errors = true, maximum_object_size = $record_bytes
);
