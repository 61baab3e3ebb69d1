#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// The command itself needs Node 24. An older one hands over to the Node that `make` puts beside a checkout.
const needed = 24;

// At SIGUSR1 Node would open its debugger to everybody on this machine, who could read the key in its memory.
process.on("SIGUSR1", () => undefined);

const major = Number(process.versions.node.split(".")[0]);
if (major >= needed) {
  // Pages lie outside the heap, and make the collector look through all of it every few megabytes: a tenth of a load.
  // Another major version may not know the flag, and would say so at each start.
  if (major === needed) setFlagsFromString("--heap-growing-percent=300");
  const { keepCompiled } = await import("./base/compile-cache.ts");
  keepCompiled(process.env);
  const { runCommandLine } = await import("./cli/program.ts");
  await runCommandLine();
} else {
  const beside = `.node/node_modules/node-${process.platform}-${process.arch}/bin/node`;
  const node = ["../", "../../"]
    .map((up) => fileURLToPath(new URL(up + beside, import.meta.url)))
    .find((path) => existsSync(path));
  if (node === undefined) {
    process.stderr.write(
      `error: auditlake needs Node ${needed} or later, this is ${process.versions.node}; install it, or run make in a checkout\n`,
    );
    process.exitCode = 2;
  } else {
    const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
    // Ctrl-C reaches parent and child, other signals only the parent. They are passed on, and the child decides.
    process.on("SIGINT", () => undefined);
    for (const name of ["SIGTERM", "SIGHUP"] as const) process.on(name, () => child.kill(name));
    child.on("close", (code, signal) => {
      process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
    });
  }
}
