import type { Entry, Operation } from "../../../schemas/catalog.ts";
import { catalog } from "../../../schemas/generated/catalog.ts";

type Named = { readonly entry: Entry; readonly onlyWithPath: boolean };
type Match = { readonly entry: Entry; readonly operation: Operation };

/** What the reference says about one record. */
export type Classified = {
  /** The name in the reference, null where the reference has none. */
  readonly canonical: string | null;
  readonly variant: string | null;
  readonly area: string | null;
  readonly operation: string | null;
  /** Whether the reference knows the event and shows other operations for it. */
  readonly isUndocumented: boolean;
  readonly denialKind: string | null;
  readonly outcome: "succeeded" | "denied" | "failed" | "unknown";
};

const named = Map.groupBy(
  catalog.entries.flatMap((entry) => [
    { name: entry.event, entry, onlyWithPath: false },
    ...entry.aliases.map(({ name, onlyWithPath }) => ({ name, entry, onlyWithPath })),
  ]),
  ({ name }) => name,
);

/** What the reference says about a record, straight from the typed catalog (seed 001, Events and Errors). */
export function classify(text: (field: string) => string | null): Classified {
  const verb = (text("requested_http_verb") || text("http_verb"))?.toUpperCase();
  const path = text("requested_path_info") || text("requested_path") || "";
  const candidates = named.get(text("event_name") ?? "") ?? [];
  const match = bestMatch(candidates, verb, path);
  const entry = match?.entry ?? byName(candidates, path);
  const result = text("event_result")?.trim().toLowerCase();
  const judged = entry ? judgeKnown(entry, result) : judgeUnknown(text, result);
  return {
    canonical: entry?.event ?? null,
    variant: match?.entry.variant ?? null,
    area: entry?.area ?? null,
    operation: match ? `${match.operation.verb} ${match.operation.path}` : null,
    isUndocumented: match === null && isDocumented(entry) && entry?.event === text("event_name"),
    ...judged,
  };
}

/** Whether it was refused or went wrong; of an unknown outcome neither is certain. */
export function isDenial({ outcome }: Pick<Classified, "outcome">): boolean {
  return outcome === "denied" || outcome === "failed";
}

// Whether the reference shows requests that cause it.
function isDocumented(entry: Entry | null): boolean {
  return entry !== null && !entry.operationNotShown && entry.trigger === null;
}

type Judged = Pick<Classified, "denialKind" | "outcome">;

function judgeKnown(entry: Entry, result: string | undefined): Judged {
  const rule = catalog.deniedResults.find(
    (r) => r.eventResult === result && r.areas.includes(entry.area),
  );
  const denialKind = entry.denialKind ?? rule?.denialKind ?? null;
  return {
    denialKind,
    outcome: buildOutcome(entry.denialKind) ?? buildResult(result) ?? "succeeded",
  };
}

// What is listed first decides, where a name has several forms.
const forms: readonly (readonly [RegExp, string | null, Classified["outcome"]])[] = [
  [/\.column_visibility_violation$/, "column_visibility_denial", "denied"],
  [/^sign_in_failed/, "failed_sign_in", "failed"],
  [/_(unauthorized|denied)$/, "unauthorized_action", "denied"],
  [/_failed$/, null, "failed"],
];

// Nothing but its result and its name shows how an event ended that the reference does not list.
function judgeUnknown(text: (field: string) => string | null, result?: string): Judged {
  const name = text("required_visibility")
    ? ".column_visibility_violation"
    : (text("event_name") ?? "").toLowerCase();
  const [, kind = null, byName = "unknown" as const] =
    forms.find(([form]) => form.test(name)) ?? [];
  const outcome = buildResult(result) ?? byName;
  return { outcome, denialKind: outcome === "succeeded" ? null : kind };
}

function buildOutcome(kind: string | null): Classified["outcome"] | null {
  if (kind === null) return null;
  return kind === "failed_sign_in" || kind === "failed_result_export" ? "failed" : "denied";
}

function buildResult(result: string | undefined): Classified["outcome"] | null {
  if (!result) return null;
  if (/^(denied|unauthorized|forbidden)$/.test(result)) return "denied";
  return /^(failed|failure|error)$/.test(result) ? "failed" : "succeeded";
}

// Without a fitting operation the name decides; `/entities` distinguishes the generations.
function byName(candidates: readonly Named[], path: string): Entry | null {
  const entries = candidates.filter((c) => !c.onlyWithPath).map((c) => c.entry);
  const current = `${stripped(path)}/`.includes("/entities/");
  const wanted = entries.find((e) => e.generation === (current ? "current" : "legacy"));
  return wanted ?? entries[0] ?? null;
}

function bestMatch(
  candidates: readonly Named[],
  verb: string | undefined,
  path: string,
): Match | null {
  const segments = stripped(path)
    .replace(/(\.[A-Za-z0-9]+){1,2}$/, "")
    .split("/");
  const matches = candidates
    .flatMap(({ entry }) => entry.operations.map((operation) => ({ entry, operation })))
    .filter(({ operation }) => operation.verb === verb && fits(operation.path, segments))
    .map((match) => ({ match, rank: vagueness(match.operation.path) }));
  return matches.sort((a, b) => (a.rank < b.rank ? -1 : 1))[0]?.match ?? null;
}

function stripped(path: string): string {
  return `/${path.replace(/[?#].*$/s, "").replace(/^\/+|\/+$/g, "")}`;
}

function fits(template: string, segments: readonly string[]): boolean {
  const parts = template.replace(/\/+$/, "").split("/");
  const open = parts.at(-1) === "*";
  if (open ? segments.length < parts.length : segments.length !== parts.length) return false;
  return parts.every(
    (part, i) => part === "*" || (isParameter(part) ? segments[i] !== "" : part === segments[i]),
  );
}

// Literal segments first, from the left; the path itself settles the rest.
function vagueness(template: string): string {
  const shape = template.split("/").map((part) => (part === "*" ? 2 : isParameter(part) ? 1 : 0));
  return `${shape.join("")} ${template}`;
}

function isParameter(part: string): boolean {
  return part.startsWith(":") || /^\{.*\}$/.test(part);
}
