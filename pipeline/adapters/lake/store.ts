/** A file of the lake as a listing shows it. */
export type Listed = {
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly changedMs: number;
};

/**
 * Where a lake lies. Names are paths below it, their parts joined by `/`. Errors come as AuditlakeError, in one line and
 * without credentials; what is missing is undefined.
 */
export type Store = {
  /** How messages call it. */
  readonly place: string;
  /** The files whose names begin so, by name; with `after`, those alone that come after that name. */
  readonly list: (prefix: string, after?: string) => Promise<Listed[]>;
  /** The files that an upload which was broken off has left half written, where the store shows such. */
  readonly drafts: () => Promise<Listed[]>;
  readonly get: (name: string) => Promise<Buffer | undefined>;
  readonly put: (name: string, bytes: Buffer) => Promise<void>;
  /** Writes a file that is not there; false, and nothing is changed, where there is one of other content. */
  readonly putIfAbsent: (name: string, bytes: Buffer) => Promise<boolean>;
  /** Puts a local file there under a new name; `sha256` is what it holds. */
  readonly upload: (name: string, file: string, sha256: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
};
