import { logged } from "../../fixtures/record.ts";
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
    text: "Pages have numbers. The number of the first is `first`, 1 if left out. An empty page ends the reading, or a `next_at` that is there and null.",
    audits: {
      paging: { style: "page", param: "page", size_param: "per_page", next_at: "next_page" },
    },
  },
  {
    style: "offset",
    answer: "array",
    text: "The parameter says how many records to pass over. An empty page ends the reading, or a `next_at` that is there and null, for which a bare array has no place.",
    audits: { paging: { style: "offset", param: "page", size_param: "per_page", next_at: null } },
  },
  {
    style: "cursor",
    answer: "envelope",
    text: "The body has a text that the next request sends back under `param`. Null, absent or empty, it ends the reading.",
    audits: {
      paging: { style: "cursor", param: "page", size_param: "per_page", next_at: "next_page" },
    },
  },
  {
    style: "next_url",
    answer: "envelope",
    text: "The body has the address of the next page, whole or relative. Null, absent or empty, it ends the reading.",
    audits: { paging: { style: "next_url", size_param: "per_page", next_at: "next_page" } },
  },
  {
    style: "link_header",
    answer: "ndjson",
    text: 'A `Link` header has the address of the next page as `rel="next"`. Without one, the reading ends.',
    audits: { paging: { style: "link_header", size_param: "per_page" } },
  },
  {
    style: "none",
    answer: "array",
    text: "One answer has everything of the window. Where a service says nothing of a next page, make sure that it has none: an answer that is cut off looks the same.",
    audits: { paging: { style: "none" } },
  },
];

/** The emulated service as a sample has it, with a few records of one day. */
export function playSample({ style, answer }: Sample): ReturnType<typeof startService> {
  const records = Array.from({ length: count }, (_, i) =>
    logged({ time: startMs / 1000 + 3600 * (i + 1), event_name: "sign_in", user_id: 11 + i }),
  );
  const now = (): number => startMs + 10 * 86_400_000;
  return startService({ records, users: [], apiKey: testKey, now, paging: style, answer });
}

/** docs/paging.md, its answers asked for just now. */
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

const introduction = `# Which paging has my service?

The API reference shows neither parameters nor responses of \`GET /v4/audits\`, so they are configuration: \`sources.<name>.audits\`. \`auditlake init\` and \`auditlake doctor\` find them out: they ask for some small pages of a window with more records, 20 requests at most, and tell a configuration only where reading with it gives the same records as were seen otherwise. This page is for what they leave open: find the answer that looks like that of your service, and take what stands beside it.

Each style can come in each of four shapes: an envelope around an array, a bare array, newline-delimited JSON, CSV with a header. The shape is found by itself; where an envelope has several arrays, \`records_at\` names the one with the records, as in \`"records_at": "data.items"\`. Bare arrays, lines and CSV have no place for a cursor or an address in the body.

| what a service may call otherwise | setting |
|---|---|
| the edges of the window, \`from\` and \`to\`, in epoch seconds or ISO 8601 | \`window_params\`: \`{ "from": "since", "to": "until", "form": "iso8601" }\`, or null where it takes none |
| the parameter of page, offset or cursor | \`paging.param\` |
| the parameter for the size of a page | \`paging.size_param\`, null where it takes none |
| where the next cursor or address stands in the body | \`paging.next_at\`, a dotted path such as \`meta.next\` |
| the number of all records | \`total_at\` |
| a status that means a range without events, beside 204 | \`empty_status\`: \`[404]\` |

The answers below come from the emulated service (\`auditlake simulate\`), asked for two records at a time, and a test reads each of them with the configuration beside it.
`;
