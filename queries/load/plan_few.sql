-- For few records the plan takes longer than what it plans: expressions that stand twice are not looked for.
set disabled_optimizers = 'join_order,build_side_probe_side,filter_pushdown,common_subexpressions';
