import { formatCommand } from "../../base/command-line.ts";
import { escapeControls, shortenMiddle } from "../../base/printable.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import type { Announcement } from "../targets/destination.ts";

export type AnnouncedFinding = {
  readonly findingId: string;
  readonly severity: string;
  readonly title: string;
  readonly message: string;
  readonly subject: string;
  readonly next: string | null;
};

/** Where more findings than these are new at once, they go out in one message. */
export const mostSingles = 10;

const longestCommand = 500;

/** The message of a finding, or of several as a digest, with nothing in it that a chat or a mail program obeys. */
export function announceFindings(
  findings: readonly AnnouncedFinding[],
  baseUrl: string | undefined,
): Announcement {
  const [first] = findings;
  const facts = listFacts(first!, baseUrl);
  if (findings.length > 1)
    return {
      title: `auditlake: ${formatCount(findings.length, "new finding")}`,
      text: [
        ...findings
          .slice(0, mostSingles)
          .map(({ severity, message }) => `${severity}: ${disarm(message)}`),
        `see: ${formatCommand("findings")}`,
      ].join("\n"),
      facts,
    };
  const { findingId, severity, title, message, subject } = first!;
  const link = getLink(first!, baseUrl);
  const lines = [
    disarm(message),
    `subject: ${disarm(shortenMiddle(escapeControls(subject)))}`,
    `finding: ${findingId}`,
    ...(link === undefined ? [] : [`page: ${link}`]),
    `next: ${chooseCommand(first!)}`,
  ];
  return { title: `auditlake: ${severity}: ${title}`, text: lines.join("\n"), facts };
}

// The severities of public event formats of incident services.
const eventSeverities: Readonly<Record<string, string>> = {
  critical: "critical",
  high: "error",
  medium: "warning",
};

/** Values for the placeholders of a body of one's own; of a digest those of its most severe finding. */
function listFacts(finding: AnnouncedFinding, baseUrl: string | undefined): Record<string, string> {
  const { findingId, severity, subject } = finding;
  return {
    finding_id: findingId,
    severity,
    event_severity: eventSeverities[severity] ?? "info",
    subject: disarm(shortenMiddle(escapeControls(subject))),
    link: getLink(finding, baseUrl) ?? "",
  };
}

/** The page of a finding, where there are pages. */
export function getLink(
  { findingId }: Pick<AnnouncedFinding, "findingId">,
  baseUrl: string | undefined,
): string | undefined {
  return baseUrl === undefined ? undefined : `${baseUrl}/findings/${findingId}`;
}

// A changed or truncated command would not work, so the message shows a command that prints it.
function chooseCommand({ findingId, next }: AnnouncedFinding): string {
  return next === null || next.length > longestCommand || disarm(next) !== next
    ? formatCommand("findings", "show", findingId)
    : next;
}

/**
 * Replaces markup, mentions and links by similar characters, since chats differ in what they escape. E-mail addresses
 * and names with underscores stay unchanged.
 */
export function disarm(text: string): string {
  return text
    .replaceAll("<", "‹")
    .replaceAll(">", "›")
    .replaceAll("&", "＆")
    .replaceAll("`", "ˋ")
    .replaceAll("*", "∗")
    .replaceAll("~", "∼")
    .replaceAll("|", "¦")
    .replaceAll("[", "［")
    .replaceAll("]", "］")
    .replaceAll("://", ":∕∕")
    .replaceAll(/www\./gi, (found) => `${found.slice(0, -1)}․`)
    .replaceAll(/(?<![\p{L}\p{N}])@|@(?=(?:everyone|here|channel|all)\b)/giu, "＠")
    .replaceAll(/(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu, "＿")
    .replaceAll(/^[#+=-]/g, (found) => String.fromCodePoint(found.codePointAt(0)! + 0xfee0));
}
