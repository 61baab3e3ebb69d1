-- Enters what was read.
insert into query_text_rows by name
with
given as (
    select unnest(from_json($readings::json, '[{
        "text_hash": "uuid", "state": "varchar", "statements": "integer",
        "tables": [{
            "statement_number": "integer", "statement_kind": "varchar",
            "database_name": "varchar", "table_name": "varchar", "access": "varchar"
        }],
        "columns": [{
            "statement_number": "integer",
            "database_name": "varchar", "table_name": "varchar", "column_name": "varchar", "access": "varchar"
        }]
    }]')) as reading
)
select
    reading.text_hash as text_hash, reading.state as state, $reader::integer as reader,
    reading.statements as statements, reading.tables as tables, reading.columns as columns
from given;
