-- Plans are made again as they are elsewhere, with as many threads as before.
reset disabled_optimizers;
set threads = getvariable('load_threads');
