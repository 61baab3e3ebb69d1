import { formatCommand } from "../command-line.ts";
import { formatCount } from "../terminal/amounts.ts";

/** Closed windows of a source that are not final for one reason. */
export type NotFinal = {
  readonly source: string;
  readonly reason: string;
  readonly windows: number;
  readonly from: string;
  readonly to: string;
  /** Signs of an incomplete read, as a list in one text. */
  readonly signs: string;
  /** Whether a scheduled run reads them again. */
  readonly is_scheduled: boolean;
  readonly is_configured: boolean;
};

/** The command that helps with windows that are not final; undefined where none does. */
export function buildNotFinalCommand(facts: NotFinal): readonly string[] | undefined {
  const { source, reason, from, to, is_scheduled: isScheduledRun } = facts;
  if (reason === "no_evidence") return undefined;
  if (reason === "signs" && !hasRepeatedPage(facts)) return ["doctor"];
  if (["signs", "lacking", "forgotten", "beyond_retention"].includes(reason))
    return ["ingest", "accept"];
  return isScheduledRun
    ? undefined
    : ["ingest", "--source", source, "--from", from, "--to", to, "--confirm"];
}

/** Why windows are not final, and what to do; `command` comes as it can be pasted. */
export function formatNotFinal(facts: NotFinal, command: string): string {
  const { windows, from, to, reason } = facts;
  const all = formatCount(windows, "window");
  // A closed window that was read once, and nothing more.
  if (!Object.hasOwn(reasons, reason)) {
    const verb =
      windows === 1
        ? "needs a second read before it counts"
        : "need a second read before they count";
    return `${all} ${verb} as complete (${from} to ${to}); ${formatReread(facts)}`;
  }
  return `not verified complete: ${all} of ${from} to ${to}: ${reasons[reason]!(facts, command)}`;
}

const reasons: Readonly<Record<string, (facts: NotFinal, command: string) => string>> = {
  signs: (facts, command) =>
    `${formatSigns(facts.signs, formatAuditsKey(facts))}; ${adviseOnSigns(facts, command)}`,
  differs: (facts) => `the last two reads differ; ${formatReread(facts)}`,
  lacking: (facts, command) =>
    `events of an earlier read are missing in the last one; ${formatReread(facts)}; if they were deleted, accept it with ${command}`,
  no_evidence: (facts) =>
    `two reads agree, but nothing shows that the answers were complete; see ${formatAuditsKey(facts)}.paging and total_at, or set paging.whole if every answer is complete`,
  forgotten: (_, command) =>
    `the service no longer returns what it returned before; accept it with ${command}`,
  beyond_retention: ({ source }, command) =>
    `older than sources.${source}.retention when it was read; accept it with ${command}`,
};

function formatAuditsKey({ source }: NotFinal): string {
  return `sources.${source}.audits`;
}

// No run re-reads a window of a source that is not configured.
function formatReread({ source, from, to, windows, ...facts }: NotFinal): string {
  const them = windows === 1 ? "it" : "them";
  if (!facts.is_scheduled)
    return `to verify ${them} now, run ${formatCommand("ingest", "--source", source, "--from", from, "--to", to, "--confirm")}`;
  return facts.is_configured
    ? `the next run${source === "default" ? "" : ` of source ${source}`} reads ${them} again`
    : `no run reads ${them} again before sources.${source} is configured`;
}

function hasRepeatedPage({ signs }: NotFinal): boolean {
  return signs.split(", ").includes("repeated_page");
}

// A repeated page shows by its records when they are loaded: no setting can declare it harmless before.
function adviseOnSigns(facts: NotFinal, command: string): string {
  return hasRepeatedPage(facts)
    ? `${formatReread(facts)}; if every read has it, accept it with ${command}`
    : `run ${command} to find the right setting; if the sign is normal for this service, add it to sources.${facts.source}.audits.ignore_signs`;
}

/** Describes signs of an incomplete read, given as a list in one text. */
export function formatSigns(signs: string, audits: string): string {
  const special: Readonly<Record<string, string>> = {
    next: `the service offered a next page that the paging settings do not follow (see ${audits}.paging)`,
    has_more: `the service announced more records (see ${audits}.paging)`,
    total: "the answers have fewer records than their stated total",
    page_sizes: "pages before the last differ in size",
    repeated_page: "the same page was returned twice, so another one is missing",
    records: "nothing on a page looks like a record",
    unreadable: "more than 1 % of the records could not be read (see the table quarantine)",
  };
  const names = signs.split(", ").filter((sign) => sign !== "");
  const plain = names.filter((sign) => !Object.hasOwn(special, sign));
  const faults = plain.length > 0 ? [`the answers report a fault: ${plain.join(", ")}`] : [];
  const others = names.filter((sign) => Object.hasOwn(special, sign));
  return [...others.map((sign) => `${special[sign]!} [${sign}]`), ...faults].join("; ");
}
