import { html, type Markup } from "../../base/html/markup.ts";
import {
  mailColours,
  style,
  writeMailDocument,
  writeMailHead,
  writeMailRow,
} from "../../base/html/mail.ts";
import type { MailFacts, MailFinding, MailTile } from "./mail-facts.ts";

const { line, text, muted } = mailColours;

const pills: Readonly<Record<MailFinding["severity"], readonly [style: string, word: string]>> = {
  critical: ["color:#b3152f;background:#fdecee", "Critical"],
  high: ["color:#b8430a;background:#fdf0e6", "High"],
  medium: ["color:#7d5c00;background:#fbf4dc", "Medium"],
  low: ["color:#2f5aa8;background:#e9f0fb", "Low"],
  info: ["color:#525e6f;background:#eef1f4", "Info"],
};

export function writeMailBody(facts: MailFacts): Markup {
  const { title, day, status, findings, more, tiles, zone } = facts;
  return writeMailDocument({
    title: `auditlake ${title}, ${day}`,
    preheader: findings?.[0]?.headline ?? status.lead,
    rows: [
      writeMailHead(`auditlake · ${title}`, day),
      writeStatus(status),
      findings === undefined ? null : writeHeading("Look at this first"),
      findings?.length === 0
        ? writeMailRow(`padding:10px 16px;${line};font-size:14px;${text}`, "No open findings.")
        : null,
      ...(findings ?? []).map((finding) => writeFinding(finding, facts.baseUrl)),
      more === "" ? null : writeMailRow(`padding:10px 16px;${line};font-size:13px;${muted}`, more),
      ...(tiles.length === 0 ? [] : [writeHeading(facts.tilesTitle), writeTiles(tiles)]),
      writeEnd(facts),
    ],
    below: `All times ${zone}. Sent by auditlake because this address is in its mail target.`,
  });
}

function writeHeading(words: string): Markup {
  return writeMailRow(
    `padding:12px 16px 8px;${line};font-size:15px;font-weight:600;${text}`,
    words,
  );
}

function writeStatus({ isGood, lead, rest }: MailFacts["status"]): Markup {
  const dot = isGood ? "color:#17703f" : "color:#b8430a";
  return writeMailRow(
    `padding:0 16px 12px;font-size:13px;${muted}`,
    html`<span${style(dot)}>●</span> <b${style(text)}>${lead}</b>${rest === "" ? null : ` · ${rest}`}`,
  );
}

function writeFinding(finding: MailFinding, baseUrl: string | undefined): Markup {
  const [colours, word] = pills[finding.severity];
  const look = "font-size:15px;line-height:24px;font-weight:600;text-decoration:none";
  const headline =
    baseUrl === undefined
      ? html`<b${style(`${look};${text}`)}>${finding.headline}</b>`
      : html`<a href="${baseUrl}/findings/${finding.id}" ${style(`${look};color:#2456c8`)}
          >${finding.headline}</a
        >`;
  return writeMailRow(
    `padding:10px 16px;${line}`,
    html`<span${style(`font-size:12px;font-weight:600;${colours};padding:2px 7px;border-radius:4px`)}
        >${word}</span
      >
      <span${style(`font-size:12px;${muted}`)}>${finding.when}</span><br />${headline}<br /><span
        ${style(`font-size:13.5px;line-height:20px;${muted}`)}
        >${finding.title}</span
      >`,
  );
}

const verdicts = {
  above: ["color:#b8430a", "▲ above "],
  below: ["color:#2f5aa8", "▼ below "],
  usual: [muted, "usual "],
} as const;

function writeTiles(tiles: readonly MailTile[]): Markup {
  const cell = `padding:10px 8px;${line}`;
  const rows = tiles.map(({ title, value, verdict, range }) => {
    const [colour, words] = verdict === undefined ? [muted, ""] : verdicts[verdict];
    return html`<tr>
      <td${style(`${cell};padding-left:16px;white-space:nowrap;font-size:14px;${text}`)}>${title}</td>
      <td align="right"${style(`${cell};white-space:nowrap;font-size:16px;font-weight:600;${text}`)}>${value}</td>
      <td${style(`${cell};padding-right:16px;font-size:13px;${colour}`)}>${words}<span${style(muted)}>${range}</span></td>
    </tr>`;
  });
  return html`<tr>
    <td>
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
        ${rows}
      </table>
    </td>
  </tr>`;
}

function writeEnd({ baseUrl, pageName }: MailFacts): Markup {
  if (baseUrl === undefined)
    return writeMailRow(
      `padding:16px;${line};font-size:13px;${muted}`,
      "The complete page is attached as a file.",
    );
  const button =
    "display:inline-block;background:#2456c8;color:#ffffff;font-size:14px;font-weight:600;padding:9px 16px;border-radius:6px;text-decoration:none";
  return writeMailRow(
    `padding:16px;${line}`,
    html`<a href="${baseUrl}/pages/${pageName}"${style(button)}>Open the complete page</a>
      <span${style(`font-size:12.5px;${muted}`)}>also attached as a file</span>`,
  );
}
