import { z } from "zod";

// The permission set of a policy (seed 000, Permission set of a policy). Sets from the service are parsed leniently and
// stored. A set to be sent must have the form that the seed shows, unless a flag permits another.

/** The permission kinds of databases (seed 000, What the service does). */
export const databaseOperations = [
  "manage",
  "download",
  "owner_manage",
  "import",
  "query",
  "edit",
] as const;

/** Operations with database ids (seed 000, Permission set of a policy, rules 1 and 2); the others have none. */
const operationsWithIds = ["import", "query", "edit"];
const known: readonly string[] = databaseOperations;

/** A permission set: per kind of resource an array of entries. The seed shows `Databases` alone. */
export type PermissionSet = Readonly<Record<string, unknown>>;

/** One entry of `Databases`. */
export type Entry = { readonly operation: string; readonly ids?: unknown } & Readonly<
  Record<string, unknown>
>;

/**
 * The id of a policy in a path; its form is not documented, so it is any word that a path contains without encoding.
 */
export const policyId = z
  .string()
  .regex(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/, "expected the id of a policy, such as 1234");

/** Whether an entry of the operation names its databases (seed 000, Permission set of a policy, rules 1 and 2). */
export function takesIdList(operation: string): boolean {
  return operationsWithIds.includes(operation);
}

/** A set as landed: what was read once is not refused later. */
export const landedSet = z
  .looseObject({ Databases: z.array(z.looseObject({ operation: z.string() })).optional() })
  .refine((set) => set.Databases !== undefined || Object.values(set).every(Array.isArray));

/**
 * A permission set as read: it has `Databases`, as all that the seed shows. Entries may be without ids or have further
 * members, and other kinds of resources may be beside it. An object without it is no empty policy.
 */
export const readableSet = landedSet.refine((set) => set.Databases !== undefined);

const reference = "the API reference shows";
const expectedIds = 'expected database ids separated only by commas, such as "101,102"';

const idsText = z.string().superRefine((text, context) => {
  const items = text.split(",");
  const repeated = items.find((item, i) => items.indexOf(item) !== i);
  const fault = /\s|\p{C}/u.test(text)
    ? "ids contains spaces"
    : items.includes("")
      ? text === ""
        ? "ids is empty"
        : "ids has an empty item"
      : repeated === undefined
        ? undefined
        : `ids contains ${repeated} twice`;
  if (fault !== undefined) context.addIssue(`${fault}; ${expectedIds}`);
});

const idsFault = `ids is neither a string nor one id; ${expectedIds}`;

// A single id is also sent bare (seed 000, Permission set of a policy).
const ids = z.union([z.int(idsFault).min(0, idsFault), idsText], {
  error: (issue) => findFirstMessage(issue.errors) ?? idsFault,
});

function findFirstMessage(branches: unknown): string | undefined {
  const all = (branches as z.core.$ZodIssue[][] | undefined)?.flat() ?? [];
  return all.find((issue) => issue.code === "custom")?.message;
}

const operation = z.string("operation is missing or not a string").regex(/^[a-z]+(_[a-z]+)*$/, {
  error: ({ input }) =>
    `operation ${JSON.stringify(input)} is not a lower-case word; expected one of ${known.join(", ")}`,
});

/** Conditions of any set to be sent, regardless of its other content. */
export const sendableSet = z.looseObject(
  {
    Databases: z.array(
      z.looseObject({ operation, ids: ids.optional() }, "an entry is not an object"),
      "Databases is missing or not an array",
    ),
  },
  "the permission set is not a JSON object",
);

/** The form of every set that the seed shows being sent; each fault names what is not shown. */
export const documentedSet = sendableSet.superRefine((set, context) => {
  const add = (message: string, ...path: (string | number)[]): void =>
    context.addIssue({ code: "custom", message, path: ["Databases", ...path] });
  const further = Object.keys(set).filter((key) => key !== "Databases");
  if (further.length > 0)
    context.addIssue(`${listNames(further)} beside Databases; ${reference} Databases alone`);
  if (set.Databases.length === 0) add(`Databases is empty; ${reference} it with entries`);
  for (const [i, entry] of set.Databases.entries())
    for (const message of describeNotShown(entry, set.Databases.slice(0, i))) add(message, i);
});

function listNames(names: readonly string[]): string {
  const more = names.length - 3;
  return names.slice(0, 3).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function describeNotShown(entry: Entry, before: readonly Entry[]): string[] {
  const { operation: name, ids: carried, ...rest } = entry;
  const takesIds = takesIdList(name);
  const further = Object.keys(rest);
  return [
    !known.includes(name) && `unknown operation ${name}; ${reference} ${known.join(", ")}`,
    takesIds &&
      carried === undefined &&
      `${name} without ids; ${reference} it with database ids only`,
    known.includes(name) &&
      !takesIds &&
      carried !== undefined &&
      `ids on ${name}; ${reference} it without ids only`,
    before.some((other) => other.operation === name) &&
      `a second entry for ${name}; ${reference} one per operation, with all its ids`,
    further.length > 0 &&
      `further fields ${further.join(", ")}; ${reference} operation and ids only`,
  ].filter((text) => text !== false);
}
