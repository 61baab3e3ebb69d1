delete from job_rows;

delete from query_text_due;

delete from query_table_rows;

delete from query_column_rows;

delete from access_event_rows;

delete from permission_mark_rows;

delete from permission_span_rows;

delete from access_timeline_rows;

delete from policy_right_rows;

delete from access_due;

delete from access_gap_rows;

delete from read_order_rows;

delete from active_day_rows;

delete from sighting_rows;

delete from id_conflict_rows;

delete from id_hash_rows;

delete from fold_due;
