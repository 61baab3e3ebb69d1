-- The statements of queries that drop, empty or overwrite a table or database.
destructive_statements as (
    select source, job_id, statement_number, statement_kind, database_name, table_name
    from query_tables
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
      and access = 'written'
      and statement_kind in (
          'drop', 'alter_drop', 'delete', 'truncate', 'insert_overwrite', 'replace_table', 'load_overwrite'
      )
),
