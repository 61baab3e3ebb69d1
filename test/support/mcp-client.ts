import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { TestHome } from "./home.ts";
import { programPath } from "./killed.ts";

/** A client of `mcp` of a home, started as a program starts it; to be closed. The environment names the home, as it does
 * for the command line of a test home: by a flag, commands in messages would name it. */
export async function mcpClient({ home }: TestHome, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [programPath, "mcp", ...flags];
  const env = { AUDITLAKE_HOME: home };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
  );
  return client;
}
