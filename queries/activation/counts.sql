select
    count(*) filter (where delta_status = 'new') as rows_new,
    count(*) filter (where delta_status = 'updated') as rows_updated,
    count(*) filter (where delta_status = 'deleted') as rows_deleted,
    count(*) filter (where delta_status = 'unchanged') as rows_unchanged
from delta;
