import { z } from "zod";

const form = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * What a source, target, activation or job may be called; also the name of a file. What every object has a member of,
 * such as `constructor`, is left out.
 */
export const name = z
  .string()
  .regex(form)
  .refine((text) => !(text in Object.prototype), "is a reserved name; choose another");
