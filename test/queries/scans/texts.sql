-- As if every job's text had read one column of a table, and written one table.
insert into query_table_rows
select source, job_id, activity_date, 1, 'insert', 'sales', unnest(['orders', 'totals']), unnest(['read', 'written'])
from job_rows
order by activity_date, job_id;

insert into query_column_rows
select source, job_id, activity_date, 1, 'sales', 'orders', 'email', 'read'
from job_rows
order by activity_date, job_id;
