-- What `known_from` reports where the log or the snapshots do not prove a right.
('contradicted', 'log, order unknown', 'snapshot, time unknown', 'gap in the log')
