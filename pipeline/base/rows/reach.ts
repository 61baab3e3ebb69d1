/** A time of which the log of a source is not whole; null where that side is open. */
export type Unread = {
  readonly source: string;
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  /** True where it was read, and a prune took its events: rights go on as they were. */
  readonly isPruned: boolean;
};

/** How far what is published reaches. */
export type Reach = {
  /** The time up to which a service was asked; null where none was. */
  readonly upToMs: number | null;
  /** True where no event was ever loaded: then no rows mean nothing. */
  readonly isEmpty: boolean;
  readonly unread: readonly Unread[];
  /** What nothing tells of the moments that were asked about, a line each. */
  readonly untold?: readonly string[];
};
