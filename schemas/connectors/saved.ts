import { z } from "zod";

/** Placeholder for a credential of the stored authentication that the target names (seed 002, B, access_token). */
export const savedMarker = "__SAVED__";

/** A credential: its text, or the marker. */
export const credential = z
  .string("found none; expected the credential as text, or __SAVED__")
  .min(1, "is empty; expected the credential, or __SAVED__")
  .describe(`the credential, or ${savedMarker} for the one of the stored authentication`);

/** The key that every target has beside its connector's own. */
export const authenticationName = z
  .string()
  .optional()
  .describe("name of a stored authentication, if a credential is __SAVED__");
