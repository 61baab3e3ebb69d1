import { toLoggedEvent } from "../../fixtures/record.ts";
import { startService } from "../../fixtures/service.ts";
import type { AnswerFormat } from "../../fixtures/service/answer.ts";
import type { PagingStyle } from "../../fixtures/service/paging.ts";
import { testKey } from "../support/key.ts";

/** One style with the configuration that reads it, as docs/paging.md shows it. */
export type Sample = {
  readonly style: PagingStyle;
  readonly answer: AnswerFormat;
  readonly text: string;
  readonly audits: object;
};

export const startMs = Date.UTC(2026, 2, 4);
export const count = 5;

export const samples: readonly Sample[] = [
  {
    style: "page",
    answer: "envelope",
    text: "Pages are numbered from `first` (default 1). An empty page, or a `next_at` that is present and null, ends the read.",
    audits: {
      paging: { style: "page", param: "page", size_param: "per_page", next_at: "next_page" },
    },
  },
  {
    style: "offset",
    answer: "array",
    text: "The parameter is the number of records to skip. An empty page ends the read, or, in an envelope, a `next_at` that is present and null.",
    audits: { paging: { style: "offset", param: "page", size_param: "per_page", next_at: null } },
  },
  {
    style: "cursor",
    answer: "envelope",
    text: "The body has a cursor, which the next request returns in `param`. A null, absent or empty cursor ends the read.",
    audits: {
      paging: { style: "cursor", param: "page", size_param: "per_page", next_at: "next_page" },
    },
  },
  {
    style: "next_url",
    answer: "envelope",
    text: "The body has the address of the next page, absolute or relative. A null, absent or empty address ends the read.",
    audits: { paging: { style: "next_url", size_param: "per_page", next_at: "next_page" } },
  },
  {
    style: "link_header",
    answer: "ndjson",
    text: 'A `Link` header has the address of the next page as `rel="next"`. A missing header ends the read.',
    audits: { paging: { style: "link_header", size_param: "per_page" } },
  },
  {
    style: "none",
    answer: "array",
    text: "One answer contains the whole window. If the service gives no sign of a next page, make sure that it has none: a truncated answer looks the same.",
    audits: { paging: { style: "none" } },
  },
];

/** The emulated service as a sample has it, with a few records of one day. */
export function playSample({ style, answer }: Sample): ReturnType<typeof startService> {
  const records = Array.from({ length: count }, (_, i) =>
    toLoggedEvent({
      time: startMs / 1000 + 3600 * (i + 1),
      event_name: "sign_in",
      user_id: 11 + i,
    }),
  );
  const now = (): number => startMs + 10 * 86_400_000;
  return startService({ records, users: [], apiKey: testKey, now, paging: style, answer });
}

/** docs/paging.md, with answers requested now. */
export async function pagingPage(): Promise<string> {
  const sections: string[] = [];
  for (const sample of samples) {
    const { style, text, audits } = sample;
    const config = JSON.stringify({ sources: { prod: { audits } } }, null, 2);
    sections.push(
      `\n## ${style}\n\n${text}\n\n\`\`\`http\n${await firstAnswer(sample)}\n\`\`\`\n\n\`\`\`json\n${config}\n\`\`\`\n`,
    );
  }
  return introduction + sections.join("");
}

async function firstAnswer(sample: Sample): Promise<string> {
  const service = await playSample(sample);
  try {
    const size = sample.style === "none" ? "" : "&per_page=2";
    const query = `/v4/audits?from=${startMs / 1000}&to=${startMs / 1000 + 86_400}${size}`;
    const response = await fetch(service.url + query, {
      headers: { authorization: `SVC1 ${testKey}` },
    });
    const headers = ["content-type", "link"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    const body = (await response.text()).trimEnd().replaceAll("\r\n", "\n");
    const all = [`GET ${query}`, "", ...headers, "", body].join("\n");
    return all.replaceAll(service.url, "https://service.example");
  } finally {
    await service.close();
  }
}

const introduction = `# Paging styles

The API reference shows neither parameters nor responses of \`GET /v4/audits\`, so they are configuration: \`sources.<name>.audits\`. \`auditlake init\` and \`auditlake doctor\` detect them with at most 20 small requests, and print a configuration only if a read with it returns all records that they have seen. If they cannot decide, find the answer below that looks like that of your service, and use its configuration.

Each style works with four formats: an envelope around an array, a bare array, newline-delimited JSON, CSV with a header. The format is detected; if an envelope has several arrays, \`records_at\` names the one with the records, as in \`"records_at": "data.items"\`. In bare arrays, lines and CSV, the body cannot contain a cursor or an address.

| if your service differs in | setting |
|---|---|
| start and end of the window (\`from\` and \`to\`, epoch seconds or ISO 8601) | \`window_params\`: \`{ "from": "since", "to": "until", "form": "iso8601" }\`, or null without such parameters |
| parameter of page, offset or cursor | \`paging.param\` |
| parameter of the page size | \`paging.size_param\`, or null without one |
| location of the next cursor or address in the body | \`paging.next_at\`, a dotted path such as \`meta.next\` |
| number of all records | \`total_at\` |
| status of an empty range, beside 204 | \`empty_status\`: \`[404]\` |

The answers below come from the emulated service (\`auditlake simulate\`) with two records per page; a test reads each of them with its configuration.
`;
