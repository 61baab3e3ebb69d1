import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { TestHome } from "./home.ts";
import { programPath } from "./killed.ts";

/** A client of `mcp` of a home, started as a program starts it; to be closed. */
export async function mcpClient({ home }: TestHome, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [programPath, "--home", home, "mcp", ...flags];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
  );
  return client;
}
