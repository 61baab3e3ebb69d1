import { users as userArray, type User } from "../../../schemas/api.ts";
import { namesNext, announcesMore, listSigns, readTotal, readValueAt } from "./signs.ts";

export type UserPage = {
  readonly users: readonly User[];
  readonly body: unknown;
};

/** A page, with whether its next page was requested. */
export type ReadUserPage = UserPage & {
  /** Whether the next page was requested. */
  readonly isFollowed: boolean;
  /** Whether a header names a next page. */
  readonly hasLink: boolean;
};

/** A user list, with the signs that contradict its completeness. */
export type UserList = { readonly users: readonly User[]; readonly against: readonly string[] };

/**
 * Reads the users of a body: at a dotted path, or if that is null, in `users` or as a bare array; undefined if missing.
 */
export function parseUserPage(body: unknown, recordsAt: string | null): UserPage | undefined {
  const path = recordsAt ?? (Array.isArray(body) ? undefined : "users");
  const { data } = userArray.safeParse(path === undefined ? body : readValueAt(body, path));
  return data && { users: data, body };
}

/** What a user list has to look like, for a message. */
export function describeUserListForm(recordsAt: string | null): string {
  const where =
    recordsAt === null
      ? '{"users":[{"id":…,"email":…}]} or a bare array'
      : `an array of users at ${recordsAt}`;
  return `expected ${where}, and ids of at most 64 bits`;
}

/** Brings the pages of one reading together, and judges them as pages of the log are judged (section 4, rule 2). */
export function buildUserList(pages: readonly ReadUserPage[], ignore: readonly string[]): UserList {
  const users = pages.flatMap((page) => page.users);
  const listed = new Set(users.map(({ id }) => id)).size;
  const against = new Set(pages.flatMap((page) => listFaults(page, ignore)));
  // A total may change meanwhile; a user who moved to a page that was read before is missing from the greatest.
  const total = Math.max(...pages.map(({ body }) => readTotal(body, null) ?? 0));
  if (listed < total && !ignore.includes("total")) against.add("total");
  return { users, against: [...against] };
}

function listFaults(
  { body, isFollowed, hasLink }: ReadUserPage,
  ignore: readonly string[],
): string[] {
  const faults = listSigns(body, ignore);
  // A followed page may announce a next one.
  if (isFollowed) return faults;
  const isMore = announcesMore(body) && !ignore.includes("has_more");
  const isNext = (hasLink || namesNext(body) || hasCursor(body)) && !ignore.includes("next");
  return [...faults, ...(isMore ? ["has_more"] : []), ...(isNext ? ["next"] : [])];
}

// A log's page may name its own cursor; a complete list has none.
function hasCursor(body: unknown): boolean {
  const cursor = readValueAt(body, "cursor");
  return typeof cursor === "string" && cursor !== "";
}
