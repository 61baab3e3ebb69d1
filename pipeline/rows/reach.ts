/** A time of which the log of a source was not read; null where that side is open. */
export type Unread = {
  readonly source: string;
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  /** True of what lies behind the last that a service was asked for, and not behind files alone. */
  readonly isService: boolean;
};

/** How far what is published reaches. */
export type Reach = {
  /** The time up to which the service was read, RFC 3339; undefined where it is not known. */
  readonly upTo?: string | undefined;
  /** True where no event was ever loaded: then no rows mean nothing. */
  readonly isEmpty: boolean;
  readonly unread: readonly Unread[];
};
