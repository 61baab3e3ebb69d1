-- The tables of the attached database whose rows a new one lacks: all that neither a migration nor
-- a fold of the events fills.
select t.table_name
from duckdb_tables() as t
where t.database_name = 'old' and t.schema_name = 'main'
  and t.table_name <> 'schema_migrations'
  and t.table_name not in (
      'job_rows', 'access_event_rows', 'permission_mark_rows', 'permission_span_rows', 'read_order_rows',
      'active_day_rows', 'sighting_rows', 'pruned_active_day_rows', 'pruned_sighting_rows',
      'id_conflict_rows', 'derived_versions',
      'query_text_due', 'query_table_rows', 'query_column_rows', 'timezone_offset_rows',
      'access_timeline_rows', 'policy_right_rows', 'access_due', 'access_gap_rows'
  )
  and t.table_name not like 'catalog%' and t.table_name not in ('operation_texts', 'template_lookup')
order by t.table_name;
