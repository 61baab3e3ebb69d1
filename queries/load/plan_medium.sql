-- As for many records, but with one thread: several leave row groups half full, which the checkpoint writes once more.
set disabled_optimizers = 'join_order,build_side_probe_side,filter_pushdown';
set threads = 1;
