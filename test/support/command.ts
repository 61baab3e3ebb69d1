import { main } from "../../pipeline/cli/program.ts";
import type { World } from "../../pipeline/base/world.ts";
import { testWorld } from "./world.ts";

/** How a command line ended, and what it printed. */
export type Outcome = { readonly code: number; readonly out: string; readonly err: string };

/** What has the texts of queries read. */
export const readingTexts = { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "600s" };

/** Whether its output is a terminal, and how wide. */
type Terminal = { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** Runs a command line in this process, in a world that is the tests' own but for what is given. */
export async function run(
  argv: readonly string[],
  { isTTY, columns, ...given }: Partial<World> & Terminal = {},
): Promise<Outcome> {
  const world = testWorld(given);
  if (isTTY !== undefined) Object.assign(world.stdout, { isTTY });
  if (columns !== undefined) Object.assign(world.stdout, { columns });
  const code = await main(argv, world);
  return { code, out: world.out(), err: world.err() };
}
