import { commandText } from "../command-line.ts";
import { plural } from "../terminal/amounts.ts";

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
export function notFinalCommand(facts: NotFinal): readonly string[] | undefined {
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
export function notFinalText(facts: NotFinal, command: string): string {
  const { windows, from, to } = facts;
  return `not final: ${plural(windows, "window")} of ${from} to ${to}: ${whyText(facts, command)}`;
}

function whyText(facts: NotFinal, command: string): string {
  const { source, signs } = facts;
  const audits = `sources.${source}.audits`;
  switch (facts.reason) {
    case "signs":
      return `${signsText(signs, audits)}; ${signsAdvice(facts, command)}`;
    case "differs":
      return `the last two reads did not agree; ${againText(facts)}`;
    case "lacking":
      return `the last read lacked events that an earlier one had shown; ${againText(facts)}; where they are gone for good, accept it with ${command}`;
    case "no_evidence":
      return `two reads agree, but nothing shows that the answers were whole; see ${audits}.paging and total_at, and set paging.whole where each answer is known to be`;
    case "forgotten":
      return `the service no longer shows what it showed before; accept it with ${command}`;
    case "beyond_retention":
      return `older than sources.${source}.retention when it was read; accept it with ${command}`;
    default:
      return `read once since it closed; ${againText(facts)}`;
  }
}

// Of a source that is not configured no run reads a window again, whatever it is told.
function againText({ source, from, to, ...facts }: NotFinal): string {
  if (!facts.is_scheduled)
    return `run ${commandText("ingest", "--source", source, "--from", from, "--to", to, "--confirm")}`;
  return facts.is_configured
    ? `the next run${source === "default" ? "" : ` of source ${source}`} reads it again`
    : `no run reads it again before sources.${source} is configured`;
}

function hasRepeatedPage({ signs }: NotFinal): boolean {
  return signs.split(", ").includes("repeated_page");
}

// A page that came twice is seen by its records when they are loaded: nobody can say before that it means nothing.
function signsAdvice(facts: NotFinal, command: string): string {
  return hasRepeatedPage(facts)
    ? `${againText(facts)}; where each read has it, accept it with ${command}`
    : `run ${command} to find the right setting; where a sign means nothing at this service, name it in sources.${facts.source}.audits.ignore_signs`;
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
