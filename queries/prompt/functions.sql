-- Functions that a statement can call by a name.
select distinct function_name as name
from duckdb_functions()
where function_type in ('scalar', 'aggregate', 'table', 'macro', 'table_macro')
  and regexp_matches(function_name, '^[a-z][a-z0-9_]*$')
  and not starts_with(function_name, '__')
order by name;
