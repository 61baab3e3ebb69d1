import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Call, Destination as Emulated } from "../../../fixtures/destinations/destination.ts";
import { startMessaging } from "../../../fixtures/destinations/messaging.ts";
import { startWebhook } from "../../../fixtures/destinations/webhook.ts";
import { homeAt } from "../../../pipeline/home.ts";
import { activate } from "../../../pipeline/run/activation.ts";
import type { Activated } from "../../../pipeline/run/activation/started.ts";
import type { Settings } from "../../../pipeline/settings.ts";
import { configSchema } from "../../../schemas/config.ts";
import { temporaryFolder } from "../../support/load.ts";
import { testWorld } from "../../support/world.ts";
import type { Destination, Source, Step } from "./plan.ts";

/** A row as it arrived: with which class, and what stood in it. */
export type Arrival = { readonly status: string; readonly id: string; readonly content: string };

/** A row that the home lists as one that did not arrive. */
export type Listed = {
  readonly id: string;
  readonly status: string;
  readonly state: string;
  /** Which content it is of, as the home names it. */
  readonly hash: string;
};

/** One attempt to hand rows over, and what the destination did with it. */
export type Attempt = {
  readonly rows: readonly Arrival[];
  readonly end: "taken" | "refused" | "none";
};

/** A home with an activation, the destination that it goes to, and troubles between the two. */
export type Bed = AsyncDisposable & {
  readonly run: (step: Step, dueMs: number | undefined) => Promise<Activated[] | Error>;
  readonly arrived: () => readonly Arrival[];
  readonly attempts: readonly Attempt[];
  readonly listed: () => Promise<Listed[]>;
  readonly said: readonly string[];
};

const classes = ["new", "updated", "deleted"] as const;

/** Begins with an empty home and an empty destination. */
export async function newBed(kind: Destination, batch: number): Promise<Bed> {
  const { path, remove } = temporaryFolder();
  const root = join(path, "home");
  const place = kind === "messaging" ? await messagingPlace() : await webhookPlace(batch);
  const config = configSchema.parse({
    authentications: { none: { env: "NONE" } },
    activations: { people: activationOf(place.settings, kind) },
  });
  const settings: Settings = {
    home: homeAt(root),
    config,
    configFile: undefined,
    configFolder: path,
    flags: { logLevel: "error", progress: "none" },
  };
  const attempts: Attempt[] = [];
  const said: string[] = [];
  const taken = new Set<unknown>();
  const run: Bed["run"] = async (step, dueMs) => {
    await publish(settings.home.published, step.source);
    const killed = trouble(place, step, attempts, taken, root, path);
    const order = {
      dryRun: false,
      confirmed: true,
      allowsEmpty: true,
      ask: () => Promise.resolve(false),
      ...step.again,
      dueMs,
      say: (line: string) => void said.push(line),
    };
    const world = testWorld();
    const outcome = await activate(
      "people",
      config.activations["people"]!,
      [],
      order,
      settings,
      world,
    ).catch((error: unknown) => error as Error);
    place.emulated.fault(undefined);
    return killed() ?? outcome;
  };
  return {
    run,
    arrived: place.arrived,
    attempts,
    listed: () => listedIn(join(root, "activations", "people.duckdb")),
    said,
    [Symbol.asyncDispose]: async () => {
      await place.emulated[Symbol.asyncDispose]();
      remove();
    },
  };
}

/** A destination as the oracle sees it. */
type Place = {
  readonly emulated: Emulated;
  readonly settings: object;
  readonly arrived: () => Arrival[];
  /** The rows that a call hands over; undefined where it hands over none. */
  readonly rowsOf: (call: Call) => Arrival[] | undefined;
  readonly refusal: { readonly status: number; readonly body: string };
  readonly stop: { readonly status: number; readonly body: string };
};

function activationOf(settings: object, kind: Destination): object {
  const byClass = (status: string): object =>
    kind === "messaging"
      ? { connector_field: "template_name", connector_field_value: status }
      : {
          connector_field: "url",
          connector_field_value: `${(settings as { url: string }).url}/${status}`,
        };
  return {
    activation_actions_table: "people",
    id_key: "id",
    delta_keys: ["content"],
    activation_mappings: classes.map((status) => ({ delta_status: status, ...byClass(status) })),
    result_connection_name: "none",
    result_connection_settings: settings,
  };
}

async function messagingPlace(): Promise<Place> {
  const template = { language: "en", body: "{{1}} {{2}}" };
  const templates = classes.map((name) => ({ ...template, name, body: `${name} {{1}} {{2}}` }));
  const emulated = await startMessaging({ account: { templates } });
  const error = (status: number, code: number) => ({
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
    arrived: () => emulated.arrived().map(({ text }) => arrivalOf(text.split(" "))),
    rowsOf: ({ method, body }) => {
      if (method !== "POST") return undefined;
      const { template: sent } = JSON.parse(body) as {
        template: { name: string; components: { parameters: { text: string }[] }[] };
      };
      const [id, content] = sent.components[0]!.parameters.map(({ text }) => text);
      return [arrivalOf([sent.name, id!, content!])];
    },
    refusal: error(400, 131_026),
    stop: error(401, 190),
  };
}

async function webhookPlace(batch: number): Promise<Place> {
  const emulated = await startWebhook();
  type Body = { readonly delivery: string; readonly rows: readonly Record<string, string>[] };
  const rowsIn = ({ delivery, rows }: Body): Arrival[] =>
    rows.map(({ id, content }) => arrivalOf([delivery.replace(/^.*-/, ""), id!, content!]));
  return {
    emulated,
    settings: {
      type: "webhook",
      url: emulated.url,
      secret: emulated.secret,
      records_per_batch: batch,
    },
    arrived: () => emulated.arrived().flatMap((body) => rowsIn(body as unknown as Body)),
    rowsOf: ({ body }) => rowsIn(JSON.parse(body) as Body),
    refusal: { status: 422, body: "" },
    stop: { status: 410, body: "" },
  };
}

function arrivalOf([status, id, content]: readonly string[]): Arrival {
  return { status: status!, id: id!, content: content! };
}

// A process that is killed leaves its home as it is at that moment: what comes later is taken back.
function trouble(
  { emulated, rowsOf, refusal, stop }: Place,
  step: Step,
  attempts: Attempt[],
  taken: Set<unknown>,
  root: string,
  folder: string,
): () => Error | undefined {
  const left = join(folder, "left");
  let calls = 0;
  let isKilled = false;
  emulated.fault((call) => {
    if (isKilled) return "reset";
    const rows = rowsOf(call);
    if (rows === undefined) return undefined;
    calls += 1;
    const now = calls === step.at ? step.trouble : undefined;
    // A receiver answers well to a request whose id it has taken before.
    const id = call.headers["webhook-id"];
    const isPoisoned = rows.some((row) => step.poison.has(row.id)) && !taken.has(id);
    if (now === "kill before" || now === "kill after") {
      rmSync(left, { recursive: true, force: true });
      cpSync(root, left, { recursive: true });
      isKilled = true;
      const isTaken = now === "kill after" && !isPoisoned;
      attempts.push({ rows, end: isTaken ? "taken" : "none" });
      if (isTaken && id !== undefined) taken.add(id);
      return isTaken ? "lose" : "reset";
    }
    if (now === "stop") {
      attempts.push({ rows, end: "none" });
      return stop;
    }
    attempts.push({ rows, end: isPoisoned ? "refused" : "taken" });
    if (!isPoisoned && id !== undefined) taken.add(id);
    if (isPoisoned) return refusal;
    return now === "lose" ? "lose" : undefined;
  });
  return () => {
    if (!isKilled) return undefined;
    rmSync(root, { recursive: true, force: true });
    cpSync(left, root, { recursive: true });
    return new Error("killed");
  };
}

async function publish(path: string, source: Source): Promise<void> {
  await onDuckDB(path, async (run) => {
    await run("create or replace table people (id varchar, content varchar, phone_number varchar)");
    for (const [id, content] of source)
      await run(`insert into people values ('${id}', '${content}', '${phoneOf(id)}')`);
  });
}

/** An id without a phone number: no message can ever be delivered to it. */
export const numberless = "g";

function phoneOf(id: string): string {
  if (id === numberless) return "nobody";
  return `+1631555${String(id.charCodeAt(0)).padStart(4, "0")}`;
}

async function listedIn(path: string): Promise<Listed[]> {
  const found: Listed[] = [];
  await onDuckDB(path, async (run) => {
    const rows = await run(
      "select delta_id, delta_status, state, delta_hash from refused_rows order by all",
    );
    for (const row of rows)
      found.push({
        id: String(row["delta_id"]),
        status: String(row["delta_status"]),
        state: String(row["state"]),
        hash: String(row["delta_hash"]),
      });
  });
  return found;
}

type Run = (sql: string) => Promise<Record<string, unknown>[]>;

async function onDuckDB(path: string, work: (run: Run) => Promise<void>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    await work(async (sql) => (await connection.runAndReadAll(sql)).getRowObjects());
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
