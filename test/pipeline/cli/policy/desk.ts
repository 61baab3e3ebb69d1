import type { IncomingMessage, ServerResponse } from "node:http";
import { newAccess, type Access, type AccessOptions } from "../../../../fixtures/access.ts";
import type { PermissionSet } from "../../../../fixtures/traffic/permission-sets.ts";
import { makeEstate } from "../../../../fixtures/traffic/estate.ts";
import type { World } from "../../../../pipeline/base/world.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { newRemote, type Remote } from "../../../support/remote.ts";

const seed = 1;

/** Answers a request instead of the service, or says false; `patches` counts the PATCHes so far, this one too. */
export type Interference = (
  request: IncomingMessage,
  response: ServerResponse,
  patches: number,
) => boolean | Promise<boolean>;

/** The emulated service with its access control, a home, and what is asked of the service. */
export type Desk = AsyncDisposable & {
  readonly remote: Remote;
  readonly access: Access;
  /** Ids of databases that exist. */
  readonly databases: readonly string[];
  /** Verb and path of each request since the last look. */
  readonly requests: () => string[];
  /** Makes a policy with this set and returns its id. */
  readonly newPolicy: (set?: PermissionSet) => Promise<string>;
  readonly deletePolicy: (id: string) => Promise<void>;
  /** Sets a policy without the command line, as another client would. */
  readonly setElsewhere: (id: string, set: PermissionSet) => Promise<void>;
  /** The set as the service itself knows it. */
  readonly setOf: (id: string) => PermissionSet;
  readonly interfere: (next: Interference | undefined) => void;
  /** Everything that the snapshots left, in an order of its own. */
  readonly history: () => Promise<Row[]>;
  /** Runs a verb of `policy` a minute later; without `stdin` no question can be asked. */
  readonly policy: (argv: readonly string[], world?: Partial<World>) => Promise<Outcome>;
};

/** An entry that lets databases be queried. */
export const query = (ids: string): { readonly operation: string; readonly ids: string } => ({
  operation: "query",
  ids,
});

/** A service without a single policy, at noon of 4 March 2026. */
export async function newDesk(options: Partial<AccessOptions> = {}): Promise<Desk> {
  const remote = await newRemote(Date.parse("2026-03-04T12:00:00Z"));
  const { clock, key } = remote;
  const access = newAccess({
    seed,
    apiKey: key,
    now: () => clock.nowMs,
    standing: false,
    ...options,
  });
  const { url } = await remote.serve([], { access });
  let seen: string[] = [];
  let patches = 0;
  let policies = 0;
  let interference: Interference | undefined;
  remote.fault((request, response) => {
    if (request.headers["user-agent"] !== "auditlake") return false;
    seen.push(`${request.method} ${request.url}`);
    if (request.method === "PATCH") patches += 1;
    return interference?.(request, response, patches) ?? false;
  });
  const call = async (method: string, target: string, body?: unknown): Promise<unknown> => {
    clock.nowMs += 60_000;
    const headers = { authorization: `SVC1 ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + target, { method, headers, ...sent });
    if (!response.ok) throw new Error(`${method} ${target}: ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
  const path = "/v4/access_control/policies";
  const setElsewhere = async (id: string, set: PermissionSet): Promise<void> =>
    void (await call("PATCH", `${path}/${id}/permissions`, set));
  return {
    remote,
    access,
    databases: makeEstate(seed).databases.map(({ id }) => id),
    requests: () => seen.splice(0),
    newPolicy: async (set) => {
      const name = `Policy ${(policies += 1)}`;
      const made = (await call("POST", path, { name })) as { id: number };
      if (set !== undefined) await setElsewhere(String(made.id), set);
      return String(made.id);
    },
    deletePolicy: async (id) => void (await call("DELETE", `${path}/${id}`)),
    setElsewhere,
    setOf: (id) => access.snapshot().policies.find((policy) => policy.id === id)!.permissions,
    interfere: (next) => void (interference = next),
    history: async () => [
      ...(await remote.home.rows("select * from policy_permissions order by all")),
      ...(await remote.home.rows("select * from policy_snapshots order by all")),
    ],
    policy: (argv, world = {}) => {
      clock.nowMs += 60_000;
      const common = { env: remote.env(), now: () => clock.nowMs };
      return remote.home.run(["policy", ...argv], { ...common, ...world });
    },
    [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose](),
  };
}
