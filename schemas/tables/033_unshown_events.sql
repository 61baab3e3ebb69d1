-- Stored events of the window that a read did not show and that only reads of other windows had brought. Null for reads of
-- earlier versions; such a read showed all there was where it missed nothing.
alter table window_reads add column unshown uuid[];
