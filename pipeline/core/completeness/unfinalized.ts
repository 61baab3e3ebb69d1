import { commandText } from "../../base/command-line.ts";
import { plural } from "../../base/terminal/amounts.ts";
import type { Facts } from "../../base/sql/typed-rows.ts";

/** Closed windows that are not final, in words: those that only wait, and those that somebody should act on. */
export type Unfinalized = {
  readonly waiting: readonly string[];
  readonly stuck: readonly string[];
};

/**
 * One line for each reason why closed windows of a source are not final. Of one that is not configured no run reads a
 * window again, whatever it is told.
 */
export function unfinalizedLines(
  source: string,
  found: readonly Facts[],
  isConfigured = true,
): Unfinalized {
  const isWaiting = (facts: Facts): boolean =>
    facts["is_scheduled"] === true && (facts["reason"] === "once" || facts["reason"] === "differs");
  const line = (facts: Facts): string =>
    `not final: ${rangeText(facts)}: ${why(source, facts, isConfigured)}`;
  return {
    waiting: found.filter(isWaiting).map(line),
    stuck: found.filter((facts) => !isWaiting(facts)).map(line),
  };
}

function rangeText({ windows, first_start: from, last_end: to }: Facts): string {
  return `${plural(Number(windows), "window")} of ${String(from)} to ${String(to)}`;
}

function why(source: string, facts: Facts, isConfigured: boolean): string {
  const audits = `sources.${source}.audits`;
  const { reason, signs, is_scheduled: isScheduledRun, first_start: from, last_end: to } = facts;
  const confirm = `${commandText("ingest", "--source", source, "--from", String(from), "--to", String(to), "--confirm")}`;
  const next = isConfigured
    ? `the next run${source === "default" ? "" : ` of source ${source}`} reads it again`
    : `no run reads it again before sources.${source} is configured`;
  const again = isScheduledRun === true ? next : `run ${confirm}`;
  switch (String(reason)) {
    case "signs":
      return `${signsText(String(signs), audits)}; ${signsAdvice(String(signs), audits, again)}`;
    case "differs":
      return `the last two reads did not agree; ${again}`;
    case "lacking":
      return `the last read lacked events that an earlier one had shown; ${again}; where they are gone for good, accept it with ${commandText("ingest", "accept")}`;
    case "no_evidence":
      return `two reads agree, but nothing shows that the answers were whole; see ${audits}.paging and total_at, and set paging.whole where each answer is known to be`;
    case "forgotten":
      return `the service no longer shows what it showed before; accept it with ${commandText("ingest", "accept")}`;
    case "beyond_retention":
      return `older than sources.${source}.retention when it was read; accept it with ${commandText("ingest", "accept")}`;
    default:
      return `read once since it closed; ${again}`;
  }
}

// A page that came twice is seen by its records when they are loaded: nobody can say before that it means nothing.
function signsAdvice(signs: string, audits: string, again: string): string {
  return signs.split(", ").includes("repeated_page")
    ? `${again}; where each read has it, accept it with ${commandText("ingest", "accept")}`
    : `run ${commandText("doctor")} to find the right setting; where a sign means nothing at this service, name it in ${audits}.ignore_signs`;
}

/** Describes signs of an incomplete read, given as a list in one text. */
export function signsText(signs: string, audits: string): string {
  const special: Readonly<Record<string, string>> = {
    next: `the service offered a next page that the paging settings do not follow (see ${audits}.paging)`,
    has_more: `more was said to follow (see ${audits}.paging)`,
    total: "fewer records came than the answers tell in total",
    page_sizes: "pages before the last differ in size",
    repeated_page: "a page came twice, so that another was left out",
    records: "nothing on a page looks like a record",
    unreadable: "more than 1 % of the records could not be read (see the table quarantine)",
  };
  const names = signs.split(", ").filter((sign) => sign !== "");
  const plain = names.filter((sign) => !Object.hasOwn(special, sign));
  const faults = plain.length > 0 ? [`the answers tell of a fault: ${plain.join(", ")}`] : [];
  const others = names.filter((sign) => Object.hasOwn(special, sign));
  return [...others.map((sign) => `${special[sign]!} [${sign}]`), ...faults].join("; ");
}
