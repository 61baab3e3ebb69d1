import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  startDestination,
  type Call,
  type Destination as Emulated,
} from "../../../fixtures/destinations/destination.ts";
import { startMarketingCloud } from "../../../fixtures/destinations/marketing-cloud.ts";
import { startMessaging } from "../../../fixtures/destinations/messaging.ts";
import { refusalsUnder200 } from "../../../fixtures/destinations/refusals.ts";
import { startWebhook } from "../../../fixtures/destinations/webhook.ts";
import type { Destination } from "./plan.ts";

/** A row as it arrived: its class and its content. */
export type Arrival = { readonly status: string; readonly id: string; readonly content: string };

type Answer = { readonly status: number; readonly body: string };

/** A destination as the oracle sees it. */
export type Place = {
  readonly emulated: Emulated;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The field of the connector that distinguishes the classes of an activation, and its value for each. */
  readonly byClass: (status: string) => readonly [field: string, value: string];
  /** What arrived so far, in order; given what calls handed over and the destination took. */
  readonly arrived: (taken: readonly Arrival[]) => readonly Arrival[];
  /** The rows that a call hands over; undefined where it hands over none. */
  readonly rowsOf: (call: Call) => Arrival[] | undefined;
  readonly refusal: Answer;
  readonly stop: Answer;
};

const classes = ["new", "updated", "deleted"] as const;

/** A destination of the kind, empty; `batch` rows at most in a request where that can be chosen. */
export function readPlace(kind: Destination, batch: number): Promise<Place> {
  switch (kind) {
    case "messaging":
      return messagingPlace();
    case "webhook":
      return webhookPlace(batch, 204);
    case "strict webhook":
      return webhookPlace(batch, 422);
    case "polite webhook":
      return webhookPlace(batch, 204, refusalsUnder200);
    case "marketing cloud":
      return marketingPlace(false);
    case "marketing cloud, asynchronous":
      return marketingPlace(true);
    case "file":
      return filePlace();
  }
}

async function messagingPlace(): Promise<Place> {
  const template = { language: "en", body: "{{1}} {{2}}" };
  const templates = classes.map((name) => ({ ...template, name, body: `${name} {{1}} {{2}}` }));
  const emulated = await startMessaging({ account: { templates } });
  const error = (status: number, code: number): Answer => ({
    status,
    body: JSON.stringify({ error: { code } }),
  });
  return {
    emulated,
    settings: {
      type: "messaging_business",
      access_token: emulated.token,
      base_url: emulated.url,
      version: emulated.version,
      messaging_product: "messages",
      phone_number_id: "7001",
      send_mode: "template",
      template_name: "new",
      body_variables: ["id", "content"],
      templates_path: null,
    },
    byClass: (status) => ["template_name", status],
    arrived: () => emulated.arrived().map(({ text }) => buildArrival(text.split(" "))),
    rowsOf: ({ method, body }) => {
      if (method !== "POST") return undefined;
      const { template: sent } = JSON.parse(body) as {
        template: { name: string; components: { parameters: { text: string }[] }[] };
      };
      const [id, content] = sent.components[0]!.parameters.map(({ text }) => text);
      return [buildArrival([sent.name, id!, content!])];
    },
    refusal: error(400, 131_026),
    stop: error(401, 190),
  };
}

async function webhookPlace(
  batch: number,
  toTaken: number,
  refusals: readonly Answer[] = [{ status: 422, body: "" }],
): Promise<Place> {
  let refused = 0;
  const emulated = await startWebhook({ toTaken });
  type Body = { readonly delivery: string; readonly rows: readonly Record<string, string>[] };
  const rowsIn = ({ delivery, rows }: Body): Arrival[] =>
    rows.map(({ id, content }) => buildArrival([getClass(delivery), id!, content!]));
  return {
    emulated,
    settings: {
      type: "webhook",
      url: emulated.url,
      secret: emulated.secret,
      records_per_batch: batch,
    },
    byClass: (status) => ["url", `${emulated.url}/${status}`],
    arrived: () => emulated.arrived().flatMap((body) => rowsIn(body as unknown as Body)),
    rowsOf: ({ body }) => rowsIn(JSON.parse(body) as Body),
    // Another form for each step.
    get refusal() {
      return refusals[refused++ % refusals.length]!;
    },
    stop: { status: 410, body: "" },
  };
}

// An export has no classes: all of it counts as new.
function getClass(delivery: string): string {
  return /-(new|updated|deleted)$/.exec(delivery)?.[1] ?? "new";
}

// One data extension for each class; `new` is that of exports, too.
async function marketingPlace(isAsync: boolean): Promise<Place> {
  const emulated = await startMarketingCloud({ pollsNeeded: 1 });
  const fields = [
    { name: "id", type: "Text", length: 40, isPrimaryKey: true },
    { name: "content", type: "Text", length: 40 },
  ] as const;
  for (const name of classes) emulated.make(name, fields);
  type Item = { readonly keys?: object; readonly values?: object };
  return {
    emulated,
    settings: {
      type: "marketing_cloud_v2",
      client_id: emulated.clientId,
      client_secret: emulated.clientSecret,
      auth_uri: emulated.url,
      soap_namespace: emulated.soapNamespace,
      de_name: "new",
      async: isAsync,
      outputs: { columns: ["id", "content"] },
    },
    byClass: (status) => ["de_name", status],
    arrived: (taken) => taken,
    rowsOf: ({ url, body }) => {
      const key = /key:key of (\w+)\/(rowset|rows)$/.exec(decodeURIComponent(url.pathname))?.[1];
      if (key === undefined) return undefined;
      const content = JSON.parse(body) as Item[] | { readonly items: Item[] };
      const items = Array.isArray(content) ? content : content.items;
      return items.map((item) => {
        const row = { ...item, ...item.keys, ...item.values } as unknown as Record<string, string>;
        return buildArrival([key, row["id"]!, row["content"]!]);
      });
    },
    refusal: { status: 400, body: "" },
    stop: { status: 403, body: "" },
  };
}

// A reader of files sees the newest one.
async function filePlace(): Promise<Place> {
  const emulated = await startDestination(() => ({ status: 404 }));
  const folder = mkdtempSync(join(tmpdir(), "deliveries-"));
  const end = emulated[Symbol.asyncDispose].bind(emulated);
  const dispose = async (): Promise<void> => {
    rmSync(folder, { recursive: true, force: true });
    await end();
  };
  return {
    emulated: { ...emulated, [Symbol.asyncDispose]: dispose },
    settings: { type: "file", folder, format: "ndjson", file_name: "people" },
    byClass: (status) => ["file_name", status],
    arrived: () =>
      readdirSync(folder).flatMap((name) =>
        readFileSync(join(folder, name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Record<string, string>)
          .map((row) => buildArrival(["new", row["id"]!, row["content"]!])),
      ),
    rowsOf: () => undefined,
    refusal: { status: 400, body: "" },
    stop: { status: 400, body: "" },
  };
}

function buildArrival([status, id, content]: readonly string[]): Arrival {
  return { status: status!, id: id!, content: content! };
}
