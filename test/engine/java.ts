import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const leastJava = 25;

/** The first that is new enough of JAVA_HOME, the one on PATH, and those of the machine. Throws where there is none. */
export function javaHome(): string {
  const installed = "/usr/lib/jvm";
  const others = existsSync(installed)
    ? readdirSync(installed).map((name) => join(installed, name))
    : [];
  const onPath = spawnSync("sh", ["-c", "readlink -f $(command -v java)"], { encoding: "utf8" });
  const own = onPath.stdout.trim().replace(/\/bin\/java$/, "");
  const found = [process.env["JAVA_HOME"], own, ...others].find(
    (home) => home !== undefined && home !== "" && readVersion(home) >= leastJava,
  );
  if (found !== undefined) return found;
  throw new Error(`no Java ${leastJava} or later; install one, and name it in JAVA_HOME`);
}

function readVersion(home: string): number {
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
