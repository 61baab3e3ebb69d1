select
    (select max(id_key) from state.activation_keys) as id_key,
    (select max(delta_keys) from state.activation_keys) as delta_keys,
    (select max(id_type) from state.activation_keys) as id_type,
    (select count(*) from duckdb_tables() where database_name = 'state' and table_name = 'previous_rows') as has_rows,
    coalesce(
        (select max(number) from state.last_number),
        (select count(*) from state.activation_runs where outcome = 'delivered')
    ) as last_number;
