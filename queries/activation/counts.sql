select
    count(*) filter (where delta_status = 'new') as rows_new,
    count(*) filter (where delta_status = 'updated') as rows_updated,
    count(*) filter (where delta_status = 'deleted') as rows_deleted,
    count(*) filter (where delta_status = 'unchanged') as rows_unchanged,
    count(*) filter (where delta_status = 'new' and not is_aside) as out_new,
    count(*) filter (where delta_status = 'updated' and not is_aside) as out_updated,
    count(*) filter (where delta_status = 'deleted' and not is_aside) as out_deleted,
    count(*) filter (where delta_status = 'unchanged' and not is_aside) as out_unchanged,
    count(*) filter (where is_aside) as aside,
    count(*) filter (where delta_status <> 'deleted') as rows_read
from state.begun_rows;
