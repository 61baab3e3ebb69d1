-- The actions of a Delta checkpoint, a line of JSON each.
select cast(to_json(c) as varchar) as action
from read_parquet($path, hive_partitioning = false) as c;
