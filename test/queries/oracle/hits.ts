import type { Fact, User } from "./record.ts";
import { within, type Params } from "./rows.ts";

// What the oracles of detections share: who it was, from where, and what the time before each event holds.

/** The id, else the e-mail in lower case; null for an unknown person. */
export const personOf = ({ userId, email }: Fact): string | null =>
  userId === null ? (email?.toLowerCase() ?? null) : `user ${userId}`;

/** The e-mail in lower case of an event without an id. */
export const accountOf = ({ userId, email }: Fact): string | null =>
  userId === null ? (email?.toLowerCase() ?? null) : null;

/** The key of an event that may be of an unknown person: the e-mail, else the address. */
export const accountOrAddressOf = (f: Fact): string | null =>
  f.userId === null ? (accountOf(f) ?? addressOf(f) ?? "unknown") : null;

/** The address, where the field holds one. */
export const addressOf = ({ ip }: Fact): string | null =>
  ip === "" || ip === "internal" ? null : ip;

/** The id of an event, else that of the newest user of the directory with its e-mail. */
export function idIn(users: readonly User[], userId: string | null, email: string | null) {
  if (userId !== null || email === null) return userId;
  const ids = users
    .filter((user) => user.email.toLowerCase() === email.toLowerCase())
    .map(({ id }) => id);
  return ids.length === 0 ? null : String(Math.max(...ids));
}

/** Each event of the range, with those of the same key in the time before it and itself. */
export function windowsOf(
  facts: readonly Fact[],
  keyOf: (fact: Fact) => string | null,
  windowMs: number,
  params: Params,
): { readonly last: Fact; readonly own: readonly Fact[]; readonly firstAt: number }[] {
  const groups = Map.groupBy(facts, keyOf);
  groups.delete(null);
  return [...groups.values()].flatMap((group) =>
    group
      .filter((last) => within(params, last.time))
      .map((last) => {
        const own = group.filter((f) => f.time <= last.time && last.time - f.time <= windowMs);
        return { last, own, firstAt: Math.min(...own.map(({ time }) => time)) };
      }),
  );
}

/** A parameter as a number, or its default. */
export const numberIn = (params: Params, name: string, otherwise: number): number =>
  Number(params[name] ?? otherwise);
