import { withWriter } from "../../../pipeline/core/session/write.ts";
import { putWarehouse } from "../../support/empty-warehouse.ts";
import { temporaryFolder } from "../../support/load.ts";
import { testWorld } from "../../support/world.ts";
import { settingsAt } from "../bed.ts";
import type { Plan } from "./plan.ts";
import { listComplaints, type Published, readPublished } from "./published.ts";
import { listen } from "./service.ts";
import { tryRuns, type Services, type Trial } from "./trial.ts";

/** How many seeds share a home. */
export const perBatch = 40;

/** Seeds with all their runs, and what was published of them. */
export type Batch = { readonly trials: readonly Trial[]; readonly published: Published };

/** What is wrong with the sources of some plans, one line each beginning with its seed. */
export async function runBatch(plans: readonly Plan[]): Promise<string[]> {
  return formatLines(await readPlans(plans));
}

/** What is wrong with seeds that were read. */
export function formatLines({ trials, published }: Batch): string[] {
  return trials.flatMap((trial) =>
    listComplaints(trial, published).map((complaint) => `seed ${trial.plan.seed}: ${complaint}`),
  );
}

/**
 * Reads the sources of the plans, each over its runs, into one home and publishes it. One home for many seeds, since
 * opening and publishing cost the most.
 */
export async function readPlans(plans: readonly Plan[]): Promise<Batch> {
  const { path, remove } = temporaryFolder();
  try {
    const settings = settingsAt(path);
    await putWarehouse(settings.home.root);
    const services: Services = new Map();
    await using server = await listen((request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      const [, seed = "", ...rest] = url.pathname.split("/");
      const service = services.get(seed);
      if (service === undefined || rest.join("/") !== "v4/audits")
        return void response.writeHead(404).end();
      service.answer(url, response);
    });
    const trials: Trial[] = [];
    await withWriter(settings, testWorld(), "ingest", async (writer) => {
      for (const plan of plans)
        trials.push(await tryRuns(plan, { settings, writer, origin: server.origin }, services));
    });
    return { trials, published: await readPublished(settings.home.published) };
  } finally {
    remove();
  }
}
