-- The plan takes the joins as they are written, since nobody knows beforehand how many records files hold. Where few
-- are expected, the records would become the hash table that the catalog is looked up in. The test for a time stays
-- where it is written, too: further down the time would be taken from its text twice.
set disabled_optimizers = 'join_order,build_side_probe_side,filter_pushdown';
