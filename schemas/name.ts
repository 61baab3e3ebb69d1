import { z } from "zod";

/** What a source, target, activation or job may be called; also the name of a file. */
export const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
