import type { Entry } from "../../../schemas/policies.ts";

// The smallest set of rights that covers what the members of a policy did (seed 000, What the service does).

/** A right on databases; without an id, everything that the operation permits by itself. */
export type Right = { readonly operation: string; readonly id: string | null };

/** A use of a database: one of the operations was needed. */
export type Use = {
  readonly person: string;
  readonly operations: readonly string[];
  /** Null if the log does not show it. */
  readonly databaseId: string | null;
  /** The person made the database. */
  readonly isOwn: boolean;
  readonly uses: number;
  /** How many of them are recent enough to count. */
  readonly recent: number;
  readonly lastUsedAt: string;
};

const onDatabases = ["query", "import", "edit"];

/**
 * The rights that recent uses needed, or might have needed where the log leaves it open; those of other operations than
 * seed 000 knows stay. `manage` gives way to what was done, unless that leaves open on which database.
 */
export function computeLeastRights(held: readonly Right[], uses: readonly Use[]): Right[] {
  const recent = uses.filter((use) => use.recent > 0);
  const kept = held.filter((right) => isNeeded(right, recent));
  const isManaged = held.some(({ operation }) => operation === "manage");
  if (!isManaged || kept.some(({ operation }) => operation === "manage")) return kept;
  return removeDuplicates([...kept, ...recent.flatMap(listRightsFor)]);
}

function isNeeded({ operation, id }: Right, recent: readonly Use[]): boolean {
  switch (operation) {
    case "manage":
      return recent.some((use) => use.databaseId === null || use.operations.includes("manage"));
    case "owner_manage":
      return recent.some((use) => use.isOwn || use.operations.includes("owner_manage"));
    case "download":
      return recent.some((use) => use.operations.includes("download"));
    default:
      if (!onDatabases.includes(operation)) return true;
      return recent.some(
        (use) =>
          use.operations.includes(operation) &&
          (id === null || use.databaseId === null || use.databaseId === id),
      );
  }
}

function listRightsFor({ operations, databaseId }: Use): Right[] {
  return operations.map((operation) => ({
    operation,
    id: onDatabases.includes(operation) ? databaseId : null,
  }));
}

function removeDuplicates(rights: readonly Right[]): Right[] {
  return [...new Map(rights.map((right) => [`${right.operation}:${right.id}`, right])).values()];
}

/** Decides whether rights permit an operation on a database; null means an unknown database. */
export function isAllowed(
  rights: readonly Right[],
  operation: string,
  databaseId: string | null,
  isOwn: boolean,
): boolean {
  return rights.some(
    (right) =>
      ["manage", "administrator", "account_owner"].includes(right.operation) ||
      (right.operation === "owner_manage" && (isOwn || operation === "owner_manage")) ||
      (right.operation === operation &&
        (right.id === null || (databaseId !== null && right.id === databaseId))),
  );
}

/** Whether a use that one set lets through might be denied by the other. */
export function canBeDenied(
  before: readonly Right[],
  after: readonly Right[],
  { operations, databaseId, isOwn }: Use,
): boolean {
  const named = [...before, ...after].flatMap(({ id }) => id ?? []);
  const databases = databaseId === null ? [null, ...named] : [databaseId];
  return operations.some((operation) =>
    databases.some(
      (id) => isAllowed(before, operation, id, isOwn) && !isAllowed(after, operation, id, isOwn),
    ),
  );
}

/** Returns when a right was last used, or may have been used; null if never. */
export function findLatestUse(uses: readonly Use[], { operation, id }: Right): string | null {
  const those = uses.filter(
    (use) =>
      (operation === "manage" ||
        use.operations.includes(operation) ||
        (operation === "owner_manage" && use.isOwn)) &&
      (id === null || use.databaseId === null || use.databaseId === id),
  );
  return (
    those
      .map(({ lastUsedAt }) => lastUsedAt)
      .toSorted()
      .at(-1) ?? null
  );
}

type Order = (a: string, b: string) => number;

const keepOrder: Order = () => 0;

/**
 * Rights as the entries of a permission set have them (seed 000, Permission set of a policy). There is one for each
 * operation, in the order of their first rights, with its ids in order.
 */
export function buildEntries(rights: readonly Right[], order: Order = keepOrder): Entry[] {
  const byOperation = Map.groupBy(rights, ({ operation }) => operation);
  return [...byOperation].map(([operation, own]) => {
    const ids = own.flatMap(({ id }) => id ?? []).toSorted(order);
    return { operation, ...(ids.length === 0 ? {} : { ids: ids.join(",") }) };
  });
}
