import { z } from "zod";

/** Whether the runtime knows a time zone by this name, such as `Europe/Berlin`. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** The name of a time zone in the configuration. */
export const zone = z
  .string()
  .refine((name) => isZone(name), "expected the name of a time zone such as UTC or Europe/Berlin");
