import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ObjectStore } from "../lake/tools.ts";
import { javaHome } from "./java.ts";

const server = fileURLToPath(new URL("../../.trino", import.meta.url));

/** A Trino that runs until it is disposed of. */
export type RunningTrino = AsyncDisposable & {
  readonly url: string;
  /** Kills a worker, as a machine that goes away. */
  readonly kill: (worker: number) => void;
  /** Kills the coordinator, whose workers stay. */
  readonly killCoordinator: () => Promise<void>;
  /** Starts it again at its address; waits for so many workers. */
  readonly startAgain: (workers: number) => Promise<void>;
};

/** The number of processes, and the location of the lake for them. */
export type Setup = {
  /** Beside the coordinator, which works itself where there are none. */
  readonly workers?: number;
  /** Where the lake is in an object store; in the folder itself without one. */
  readonly store?: ObjectStore;
  readonly heap?: string;
};

/** Starts Trino with a folder for its files, which it may read as `local:///`. Throws where it, or a Java, is not there. */
export async function startTrino(folder: string, setup: Setup = {}): Promise<RunningTrino> {
  if (!existsSync(join(server, "ready")))
    throw new Error("Trino is not there; run make test-engine");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const workers = setup.workers ?? 0;
  const children = [startNode(folder, "coordinator", port, port, setup)];
  for (let i = 0; i < workers; i++)
    children.push(startNode(folder, `worker-${i}`, await freePort(), port, setup));
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(kill));
  };
  try {
    await start(url, children);
    if (workers > 0) await joinWorkers(url, workers);
    return {
      url,
      kill: (worker) => killGroup(children[worker + 1]!),
      killCoordinator: () => kill(children[0]!),
      startAgain: async (count) => {
        children[0] = startNode(folder, "coordinator", port, port, setup);
        await start(url, [children[0]]);
        await joinWorkers(url, count);
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startNode(
  folder: string,
  name: string,
  port: number,
  coordinator: number,
  setup: Setup,
): ChildProcess {
  const java = javaHome();
  const own = join(folder, "trino", name);
  const etc = join(own, "etc");
  mkdirSync(join(etc, "catalog"), { recursive: true });
  for (const [file, lines] of Object.entries(
    readFiles(folder, { own, name, port }, coordinator, setup),
  ))
    writeFileSync(join(etc, file), `${lines.join("\n")}\n`, { mode: 0o600 });
  const argv = ["-n", "10", join(server, "bin/launcher"), "run", "--etc-dir", etc];
  const env = { ...process.env, JAVA_HOME: java, PATH: `${java}/bin:${process.env["PATH"]}` };
  return spawn("nice", argv, { env, stdio: "ignore", detached: true });
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  killGroup(child);
  await ended;
}

function readFiles(
  folder: string,
  { own, name, port }: { readonly own: string; readonly name: string; readonly port: number },
  coordinator: number,
  { workers = 0, store, heap = "2g" }: Setup,
): Record<string, readonly string[]> {
  const isFirst = name === "coordinator";
  const memory = [
    "query.max-memory=1GB",
    "query.max-memory-per-node=700MB",
    "memory.heap-headroom-per-node=300MB",
  ];
  const here = [
    "node.internal-address=127.0.0.1",
    `discovery.uri=http://127.0.0.1:${coordinator}`,
    "query.remote-task.max-error-duration=10s",
  ];
  const jvm = ["-server", `-Xmx${heap}`, "-XX:+UseParallelGC", "-XX:ReservedCodeCacheSize=256M"];
  const opened = ["-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading"];
  return {
    "node.properties": [
      "node.environment=audit",
      `node.id=${name}`,
      `node.data-dir=${join(own, "data")}`,
    ],
    "jvm.config": [...jvm, ...opened, "--add-modules=jdk.incubator.vector"],
    "log.properties": ["io.trino=WARN"],
    "config.properties": [
      `coordinator=${isFirst}`,
      ...(isFirst ? [`node-scheduler.include-coordinator=${workers === 0}`] : []),
      `http-server.http.port=${port}`,
      `plugin.dir=${join(server, "plugin")}`,
      "catalog.management=static",
      ...here,
      ...memory,
    ],
    "catalog/lake.properties": [
      "connector.name=delta_lake",
      "hive.metastore=file",
      "delta.register-table-procedure.enabled=true",
      "delta.metadata.cache-ttl=0s",
      ...(store === undefined ? inFolder(folder) : inStore(store)),
    ],
  };
}

function inFolder(folder: string): string[] {
  return [
    "hive.metastore.catalog.dir=local:///metastore",
    "fs.native-local.enabled=true",
    `local.location=${folder}`,
  ];
}

function inStore({ endpoint, env }: ObjectStore): string[] {
  return [
    "hive.metastore.catalog.dir=s3://audit/metastore",
    "fs.native-s3.enabled=true",
    `s3.endpoint=${endpoint}`,
    "s3.path-style-access=true",
    "s3.region=us-east-1",
    `s3.aws-access-key=${env["AWS_ACCESS_KEY_ID"]}`,
    `s3.aws-secret-key=${env["AWS_SECRET_ACCESS_KEY"]}`,
  ];
}

async function start(url: string, children: readonly ChildProcess[]): Promise<void> {
  for (let left = 3000; left > 0; left--) {
    const ended = children.find(({ exitCode }) => exitCode !== null);
    if (ended) throw new Error(`a process of Trino ended with ${ended.exitCode}`);
    const answer = await fetch(`${url}/v1/info`).then(
      (response) => response.json() as Promise<{ starting: boolean }>,
      () => undefined,
    );
    if (answer?.starting === false) return;
    await wait(100);
  }
  throw new Error("Trino does not start");
}

async function joinWorkers(url: string, workers: number): Promise<void> {
  for (let left = 1200; left > 0; left--) {
    const sql =
      "select count(*) from system.runtime.nodes where state = 'active' and not coordinator";
    const [row] = await runAt(url, sql).catch(() => []);
    if (row?.[0] === workers) return;
    await wait(200);
  }
  throw new Error("the workers of Trino do not join");
}

async function freePort(): Promise<number> {
  const found = createServer();
  await new Promise<void>((done) => found.listen(0, "127.0.0.1", done));
  const { port } = found.address() as AddressInfo;
  await new Promise((done) => found.close(done));
  return port;
}

type Answer = {
  readonly nextUri?: string;
  readonly data?: readonly (readonly unknown[])[];
  readonly error?: { readonly message: string };
};

/** Runs a statement unchanged, and returns its rows. */
export async function runAt(url: string, sql: string): Promise<(readonly unknown[])[]> {
  const headers = { "x-trino-user": "auditlake" };
  const first = await fetch(`${url}/v1/statement`, { method: "POST", body: sql, headers });
  const rows: (readonly unknown[])[] = [];
  for (let answer = (await first.json()) as Answer; ;) {
    if (answer.error) throw new Error(`${answer.error.message}: ${sql.slice(0, 200)}`);
    rows.push(...(answer.data ?? []));
    if (answer.nextUri === undefined) return rows;
    answer = (await (await fetch(answer.nextUri)).json()) as Answer;
  }
}
