import { z } from "zod";

// What the service answers. The seeds show none of it, so the forms are those met in the field, read
// leniently: unknown keys are kept.

const flagWords: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  "1": true,
  yes: true,
  false: false,
  f: false,
  "0": false,
  no: false,
};
const flag = z.preprocess(readFlag, z.union([z.boolean(), z.null()])).optional();
const text = z.union([z.string(), z.null()]).optional();

// A column holds 64 bits.
const id = z.coerce
  .bigint()
  .min(-(2n ** 63n))
  .max(2n ** 63n - 1n);

/** One user of `GET /v3/user/list/`. */
export const user = z.looseObject({
  id,
  email: text,
  name: text,
  first_name: text,
  last_name: text,
  phone: text,
  administrator: flag,
  account_owner: flag,
  created_at: text,
  updated_at: text,
});

// A flag may be written as a word or a number: a lost flag would hide an administrator.
function readFlag(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  return flagWords[String(value).trim().toLowerCase()] ?? value;
}

/** The users of a list, at any path of the body. */
export const users = z.array(user);

export type User = z.infer<typeof user>;
