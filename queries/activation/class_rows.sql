-- The rows of a class that go out, by their numbers. `class_columns` and `class_table` stand for those of the class,
-- which nobody knows before.
select class_columns
from class_table as class_row_of
inner join state.begun_rows as each on each.delta_id = class_row_of.delta_id
where each.delta_status = $delta_status and each.class_row is not null
order by each.class_row
