import { z } from "zod";
import { configSchema } from "../config.ts";

/** The JSON Schema of the configuration file, for editors. */
export function toConfigSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(configSchema, { io: "input" }), null, 2)}\n`;
}
