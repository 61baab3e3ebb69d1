import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const server = fileURLToPath(new URL("../../.trino", import.meta.url));
const leastJava = 25;

/** A Trino of one process over a folder, until it is disposed of. */
export type RunningTrino = AsyncDisposable & { readonly url: string };

/** Starts it below a folder whose part `lake` it may read. Throws where Trino or a Java for it is not there. */
export async function startTrino(folder: string): Promise<RunningTrino> {
  if (!existsSync(join(server, "ready")))
    throw new Error("Trino is not there; run make test-engine");
  const java = javaHome();
  const port = await freePort();
  const etc = join(folder, "etc");
  for (const [name, lines] of Object.entries(filesOf(folder, port))) {
    mkdirSync(join(etc, "catalog"), { recursive: true });
    writeFileSync(join(etc, name), `${lines.join("\n")}\n`);
  }
  const argv = ["-n", "10", join(server, "bin/launcher"), "run", "--etc-dir", etc];
  const env = { ...process.env, JAVA_HOME: java, PATH: `${java}/bin:${process.env["PATH"]}` };
  const child = spawn("nice", argv, { env, stdio: "ignore", detached: true });
  const url = `http://127.0.0.1:${port}`;
  await started(url, () => child.exitCode);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((done) => child.once("exit", done));
      process.kill(-child.pid!, "SIGKILL");
      await ended;
    },
  };
}

function filesOf(folder: string, port: number): Record<string, readonly string[]> {
  const memory = [
    "query.max-memory=1GB",
    "query.max-memory-per-node=1GB",
    "memory.heap-headroom-per-node=500MB",
  ];
  const here = ["node.internal-address=127.0.0.1", `discovery.uri=http://127.0.0.1:${port}`];
  const jvm = ["-server", "-Xmx2g", "-XX:+UseParallelGC", "-XX:ReservedCodeCacheSize=256M"];
  const opened = ["-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading"];
  return {
    "node.properties": [
      "node.environment=audit",
      "node.id=one",
      `node.data-dir=${join(folder, "data")}`,
    ],
    "jvm.config": [...jvm, ...opened, "--add-modules=jdk.incubator.vector"],
    "log.properties": ["io.trino=WARN"],
    "config.properties": [
      "coordinator=true",
      "node-scheduler.include-coordinator=true",
      `http-server.http.port=${port}`,
      `plugin.dir=${join(server, "plugin")}`,
      "catalog.management=static",
      ...here,
      ...memory,
    ],
    "catalog/lake.properties": [
      "connector.name=delta_lake",
      "hive.metastore=file",
      "hive.metastore.catalog.dir=local:///metastore",
      "fs.native-local.enabled=true",
      `local.location=${folder}`,
      "delta.register-table-procedure.enabled=true",
      "delta.metadata.cache-ttl=0s",
    ],
  };
}

// The first that is new enough of JAVA_HOME, the one on PATH, and those of the machine.
function javaHome(): string {
  const installed = "/usr/lib/jvm";
  const others = existsSync(installed)
    ? readdirSync(installed).map((name) => join(installed, name))
    : [];
  const onPath = spawnSync("sh", ["-c", "readlink -f $(command -v java)"], { encoding: "utf8" });
  const own = onPath.stdout.trim().replace(/\/bin\/java$/, "");
  const found = [process.env["JAVA_HOME"], own, ...others].find(
    (home) => home !== undefined && home !== "" && versionOf(home) >= leastJava,
  );
  if (found !== undefined) return found;
  throw new Error(`no Java ${leastJava} or later; install one, and name it in JAVA_HOME`);
}

function versionOf(home: string): number {
  try {
    return Number(
      /^(\d+)/.exec(
        execFileSync(join(home, "bin/java"), ["--version"], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }).split(" ")[1] ?? "",
      )?.[1],
    );
  } catch {
    return 0;
  }
}

async function started(url: string, code: () => number | null): Promise<void> {
  for (let left = 3000; left > 0; left--) {
    if (code() !== null) throw new Error(`Trino ended with ${code()}`);
    const answer = await fetch(`${url}/v1/info`).then(
      (response) => response.json() as Promise<{ starting: boolean }>,
      () => undefined,
    );
    if (answer?.starting === false) return;
    await wait(100);
  }
  throw new Error("Trino does not start");
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

/** Runs a statement as it is, and returns its rows. */
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
