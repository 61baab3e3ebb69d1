import { newRandom } from "../../../../fixtures/random.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { buildProposal, type Proposal } from "../../../../pipeline/answers/access/proposal.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { formatLines, homeWithWarehouse } from "../../../support/home.ts";
import { makeCompany, nowMs, unusedDays, type Company, type TrueUse } from "./companies.ts";

/** The outcome for some companies: complaints, and how many uses and denials were compared. */
export type Played = {
  readonly complaints: readonly string[];
  readonly uses: number;
  readonly denied: number;
};

const text = (ms: number): string => new Date(ms).toISOString().replace("T", " ").replace("Z", "");

/** Plays so many companies in a home of their own, and compares each proposal with the table of uses. */
export async function playCompanies(count: number, seed: number): Promise<Played> {
  using home = await homeWithWarehouse();
  const random = newRandom(seed, "companies");
  const companies = Array.from({ length: count }, (_, i) => makeCompany(random, 100 + i));
  const records = companies.flatMap((company) => company.records);
  const log = home.write("log.ndjson", formatLines(records as never));
  const { code, err } = await home.run(["import", log], { now: () => nowMs });
  if (code !== 0) throw new Error(err);
  await using database = await openPublished(resolveHome(home.home).published, {
    memoryLimit: "500MB",
  });
  const complaints: string[] = [];
  let denied = 0;
  for (const company of companies) {
    const proposal = await buildProposal(database.connection, {
      policyId: company.policy,
      source: null,
      on: text(nowMs),
      unusedSince: text(nowMs - unusedDays * 86_400_000),
    });
    denied += proposal.denied.reduce((sum, use) => sum + use.uses, 0);
    for (const fault of listFaults(company, proposal))
      complaints.push(`seed ${seed}, policy ${company.policy}: ${fault}`);
  }
  const uses = companies.reduce((sum, company) => sum + company.uses.length, 0);
  return { complaints, uses, denied };
}

function listFaults({ held, uses }: Company, proposal: Proposal): string[] {
  const proposed = proposal.proposed.map(({ operation, id }) =>
    id === null ? operation : `${operation}:${id}`,
  );
  const faults: string[] = [];
  const expectSame = (what: string, found: unknown, expected: unknown): void => {
    const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
    if (a !== b) faults.push(`${what}: ${a}, expected ${b}; held ${held.join(" ")}`);
  };
  const lost = uses.filter((use) => isLost(held, proposed, use));
  expectSame("recent uses lost", lost.filter((use) => use.isRecent).length, 0);
  expectSame(
    "denied in the replay",
    proposal.denied.reduce((sum, use) => sum + use.uses, 0),
    lost.length,
  );
  expectSame(
    "uses found",
    proposal.uses.reduce((sum, use) => sum + use.uses, 0),
    uses.length,
  );
  for (const right of new Set([...held, ...proposed])) {
    const [operation, id] = right.split(":");
    if (!["query", "import", "edit", "download"].includes(operation!)) continue;
    const isUsed = uses.some(
      ({ isRecent, needs, database }) =>
        isRecent &&
        needs.includes(operation!) &&
        (id === undefined || database === null || database === id),
    );
    // Permissions that manage covered are named if manage is replaced, and only those.
    const isWanted = isUsed && (held.includes(right) || !proposed.includes("manage"));
    expectSame(`${right} proposed`, proposed.includes(right), isWanted);
  }
  return faults;
}

// An unknown database may be any one, also one that no right names.
function isLost(before: readonly string[], after: readonly string[], use: TrueUse): boolean {
  const all = [...before, ...after].flatMap((right) => right.split(":")[1] ?? []);
  const candidates = use.database === null ? ["somewhere", ...all] : [use.database];
  return use.needs.some((need) =>
    candidates.some((id) => {
      const can = (set: readonly string[]): boolean =>
        set.includes("manage") ||
        (set.includes("owner_manage") && use.isOwn) ||
        set.includes(need) ||
        set.includes(`${need}:${id}`);
      return can(before) && !can(after);
    }),
  );
}
