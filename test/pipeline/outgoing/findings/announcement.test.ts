import { expect, test } from "vitest";
import { writeChatBody } from "../../../../pipeline/adapters/destinations/webhook/request.ts";
import { fillCommand, fillSentence } from "../../../../pipeline/core/detect/hits.ts";
import { announceFindings } from "../../../../pipeline/outgoing/findings/announcement.ts";
import { hostileValues } from "../../../support/hostile-values.ts";

const buildFinding = (value: string) => ({
  findingId: "0d818b400303c93d",
  severity: "high",
  title: "Owner passwords reset",
  message: fillSentence("{actor} reset the owner password of {schema}", () => value),
  subject: value,
  next: fillCommand("auditlake investigate --user {actor}", () => value),
});

// What chats and mail programs obey in a text: tags, mentions, links, formats, headings and lists.
const obeyed = [
  /[<>`*~|[\]]/,
  /&(?:\w+|#\d+);/,
  /(?:^|[^\p{L}\p{N}])@/mu,
  /@(?:everyone|here|channel|all)\b/i,
  /:\/\/|www\./i,
  /^(?:#|- |\+ |=)/m,
  /(?:^|\s)_\S/m,
  /[\p{Cf}\p{Zl}\p{Zp}\r\t]/u,
];

const shapes = ["text", "content", "blocks", { card: { body: "{{title}}: {{message}}" } }] as const;

test("no chat and no mail interprets a value of a log as markup", () => {
  for (const value of hostileValues) {
    const { title, text } = announceFindings([buildFinding(value)], undefined);
    expect(text.split("\n"), value.slice(0, 99)).toHaveLength(4);
    for (const pattern of obeyed) expect(text).not.toMatch(pattern);
    for (const body of shapes) {
      const sent = JSON.parse(writeChatBody({ body }, { title, text })) as object;
      expect(JSON.stringify(sent)).toContain(JSON.stringify(text).slice(1, -1));
    }
  }
});

test("a digest of hostile values has a line for each of ten", () => {
  const { title, text } = announceFindings(hostileValues.map(buildFinding), undefined);
  expect(title).toBe(`auditlake: ${hostileValues.length} new findings`);
  expect(text.split("\n")).toHaveLength(11);
  for (const pattern of obeyed) expect(text).not.toMatch(pattern);
});

test("plain values, the command and the own link are unchanged", () => {
  const finding = { ...buildFinding("first_last@example.com") };
  expect(announceFindings([finding], "https://audit.example.com")).toMatchObject({
    title: "auditlake: high: Owner passwords reset",
    text: [
      "first_last@example.com reset the owner password of first_last@example.com",
      "subject: first_last@example.com",
      "finding: 0d818b400303c93d",
      "page: https://audit.example.com/findings/0d818b400303c93d",
      "next: auditlake investigate --user first_last@example.com",
    ].join("\n"),
  });
});

test.each(["<!channel>", "x".repeat(600), "[a](b)"])(
  "a command that a chat would change or cut is replaced by one that prints it: %s",
  (value) => {
    const { text } = announceFindings([buildFinding(value)], undefined);
    expect(text).toMatch(/\nnext: auditlake findings show 0d818b400303c93d$/);
  },
);

// The public event format of incident services: a key that joins repeats, and a severity of four.
const eventBody = {
  event_action: "trigger",
  dedup_key: "{{finding_id}}",
  payload: {
    summary: "{{title}}",
    severity: "{{event_severity}}",
    source: "auditlake",
    custom_details: { message: "{{message}}", subject: "{{subject}}", other: "{{other}}" },
  },
  links: [{ href: "{{link}}", text: "auditlake" }],
};

test("a user-defined body makes an event of an incident service", () => {
  const announcement = announceFindings(
    [buildFinding("eve@example.com")],
    "https://audit.example.com",
  );
  expect(JSON.parse(writeChatBody({ body: eventBody }, announcement))).toMatchObject({
    dedup_key: "0d818b400303c93d",
    payload: {
      summary: "auditlake: high: Owner passwords reset",
      severity: "error",
      custom_details: { subject: "eve@example.com", other: "{{other}}" },
    },
    links: [{ href: "https://audit.example.com/findings/0d818b400303c93d" }],
  });
});

test.each([
  ["critical", "critical"],
  ["high", "error"],
  ["medium", "warning"],
  ["low", "info"],
  ["info", "info"],
])("the severity %s is %s in an event", (severity, expected) => {
  const { facts } = announceFindings([{ ...buildFinding("eve"), severity }], undefined);
  expect(facts).toMatchObject({ event_severity: expected, link: "" });
});

test("a user-defined body omits missing values of a notice, and hostile ones are harmless", () => {
  const notice = writeChatBody({ body: eventBody }, { title: "a job failed", text: "why" });
  expect(JSON.parse(notice)).toMatchObject({ dedup_key: "", payload: { severity: "" } });
  for (const value of hostileValues) {
    const { facts = {} } = announceFindings([buildFinding(value)], undefined);
    for (const pattern of obeyed) expect(facts["subject"]).not.toMatch(pattern);
  }
});
