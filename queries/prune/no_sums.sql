delete from pruned_sighting_rows;

delete from pruned_active_day_rows;
