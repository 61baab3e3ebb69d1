import { classify, type Classified } from "./classify.ts";

/** A record of the log as the service sends it. */
export type RawRecord = Readonly<Record<string, unknown>>;
/** What the oracles need of an entry of the user list. */
export type User = {
  readonly id: number;
  readonly email: string;
  readonly administrator?: boolean;
  readonly account_owner?: boolean;
};

/** What one record says once it is read; times are milliseconds since the epoch. */
export type Fact = Classified & {
  readonly time: number;
  readonly name: string | null;
  readonly verb: string | null;
  readonly userId: string | null;
  /** As recorded, else from the user list. */
  readonly email: string | null;
  /** Who it was, as reports name them. */
  readonly actor: string;
  readonly ip: string | null;
  readonly path: string | null;
  readonly text: (field: string) => string | null;
  readonly number: (field: string) => number | null;
};

// Thirty oracles read the same records: once is enough.
const alreadyRead = new WeakMap<
  readonly RawRecord[],
  readonly [readonly User[], readonly Fact[]]
>();

/** Reads the records; one that is there twice, id and all, counts once. */
export function listFacts(records: readonly RawRecord[], users: readonly User[]): readonly Fact[] {
  const [readWith, known] = alreadyRead.get(records) ?? [];
  if (known && readWith === users) return known;
  const emails = new Map(users.map((user) => [String(user.id), user.email]));
  const facts = unrepeated(records).map((record) => buildFact(record, emails));
  alreadyRead.set(records, [users, facts]);
  return facts;
}

function unrepeated(records: readonly RawRecord[]): RawRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => {
    if (formatText(record["id"]) === null) return true;
    const known = Object.entries(record).filter(([, value]) => value !== null);
    const key = JSON.stringify(known.sort());
    return !seen.has(key) && seen.add(key);
  });
}

/** The ids of whom it shows: without an id all that have its e-mail, and without both the one that is not known. */
export function shownBy(
  { userId, email }: Pick<Fact, "userId" | "email">,
  users: readonly User[],
): (string | null)[] {
  if (userId !== null || email === null) return [userId];
  const own = users.filter((user) => user.email.toLowerCase() === email.toLowerCase());
  return own.map(({ id }) => String(id));
}

/** How reports name a person: the e-mail in lower case, else the id, else unknown. */
export function getName(email: string | null, userId: string | null): string {
  return email?.toLowerCase() ?? (userId === null ? "unknown" : `user ${userId}`);
}

function buildFact(record: RawRecord, emails: ReadonlyMap<string, string>): Fact {
  const text = (field: string): string | null => formatText(record[field]);
  const userId = text("user_id");
  const email =
    (text("user_email") || null) ?? (userId === null ? null : (emails.get(userId) ?? null));
  return {
    time: toMoment(record["time"]),
    name: text("event_name"),
    ...classify(text),
    userId,
    email,
    actor: getName(email, userId),
    ip: text("ip_address"),
    verb: text("requested_http_verb") || text("http_verb") || null,
    path: text("requested_path_info") || text("requested_path") || null,
    text,
    number: (field) => (text(field) === null ? null : Number(text(field))),
  };
}

function formatText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Epoch seconds, epoch milliseconds or a date as text. */
function toMoment(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number)) return Date.parse(String(value));
  return Math.abs(number) < 1e11 ? number * 1000 : number;
}
