import { formatLine, type Print } from "../../../pipeline/base/notice/printer.ts";
import { join } from "node:path";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { activate } from "../../../pipeline/outgoing/activations/run.ts";
import type { ActivationResult } from "../../../pipeline/outgoing/activations/started.ts";
import type { Settings } from "../../../pipeline/base/home/settings.ts";
import { configSchema, type ConfigFile } from "../../../schemas/config.ts";
import { temporaryFolder } from "../../support/load.ts";
import { testWorld } from "../../support/world.ts";
import { readPlace, type Arrival, type Place } from "./places.ts";
import type { Destination, Step } from "./plan.ts";
import { listedIn, publish, type Listed } from "./tables.ts";
import { trouble, type Attempt, type Between } from "./trouble.ts";

/** A home with a delivery in it, the destination that it goes to, and troubles between the two. */
export type Ground = AsyncDisposable & {
  readonly arrived: () => readonly Arrival[];
  readonly attempts: readonly Attempt[];
  readonly printed: readonly string[];
};

/** One whose delivery is an activation. */
export type Bed = Ground & {
  readonly run: (step: Step, dueMs: number | undefined) => Promise<ActivationResult[] | Error>;
  readonly listed: () => Promise<Listed[]>;
};

const classes = ["new", "updated", "deleted"] as const;

/** What a bed of any kind is made of. */
export type Made = Ground & {
  readonly settings: Settings;
  readonly place: Place;
  readonly between: Between;
  readonly print: Print;
};

/** An empty home and an empty destination, with the configuration that is made for it. */
export async function newGround(
  kind: Destination,
  batch: number,
  configOf: (place: Place) => object,
): Promise<Made> {
  const { path, remove } = temporaryFolder();
  const root = join(path, "home");
  const place = await readPlace(kind, batch);
  const config: ConfigFile = configSchema.parse(configOf(place));
  const flags = { logLevel: "error", progress: "none" } as const;
  const settings = {
    home: resolveHome(root),
    config,
    configFile: undefined,
    configFolder: path,
    flags,
  };
  const attempts: Attempt[] = [];
  const printed: string[] = [];
  const take = (): Arrival[] => attempts.flatMap(({ rows, end }) => (end === "taken" ? rows : []));
  return {
    settings,
    place,
    between: { root, folder: path, attempts, taken: new Set() },
    arrived: () => place.arrived(take()),
    attempts,
    printed,
    print: (line) => void printed.push(formatLine(line)),
    [Symbol.asyncDispose]: async () => {
      await place.emulated[Symbol.asyncDispose]();
      remove();
    },
  };
}

/** Begins with an empty home and an empty destination. */
export async function newBed(kind: Destination, batch: number): Promise<Bed> {
  const made = await newGround(kind, batch, (place) => ({
    authentications: { none: { env: "NONE" } },
    activations: { people: buildActivation(place) },
  }));
  const { settings, place, between, print } = made;
  const run: Bed["run"] = async (step, dueMs) => {
    await publish(settings.home.published, step.source);
    const ended = trouble(place, step, between);
    const agreed = { confirmed: true, allowsEmpty: true, ask: () => Promise.resolve(false) };
    const order = { dryRun: false, ...agreed, ...step.again, dueMs, print };
    const people = settings.config.activations["people"]!;
    const asked = { name: "people", activation: people, reports: [], order };
    const all: ActivationResult[] = [];
    const fault = await activate(asked, settings, testWorld(), (each) => void all.push(each))
      .then(() => undefined)
      .catch((error: unknown) => error as Error);
    return ended() ?? fault ?? all;
  };
  const list = (): Promise<Listed[]> =>
    listedIn(join(settings.home.root, "activations", "people.duckdb"));
  return { ...made, run, listed: list };
}

function buildActivation({ settings, byClass }: Place): object {
  const buildMapping = (delta_status: string): object => {
    const [connector_field, connector_field_value] = byClass(delta_status);
    return { delta_status, connector_field, connector_field_value };
  };
  return {
    activation_actions_table: "people",
    id_key: "id",
    delta_keys: ["content"],
    activation_mappings: classes.map(buildMapping),
    result_connection_name: "none",
    result_connection_settings: settings,
  };
}
