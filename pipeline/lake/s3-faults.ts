import type { HttpAnswer } from "../http/exchange.ts";

// What an object store says of a request that it refuses, by the code in its answer; in words that say what to do.
const advice: Readonly<Record<string, string>> = {
  InvalidAccessKeyId:
    "it does not know the id of the key: check lake.credentials_file or lake.key_env",
  SignatureDoesNotMatch:
    "the key does not fit its id: check the secret in lake.credentials_file or lake.secret_env",
  AccessDenied: "the key may not do that: give it the rights to list, read, write and delete there",
  NoSuchBucket: "there is no such bucket: make it, or mend lake.location",
  RequestTimeTooSkewed: "the clock of this machine is off: set it",
  AuthorizationHeaderMalformed: "the region is another: mend lake.region",
  PermanentRedirect: "the bucket lies elsewhere: mend lake.region and lake.endpoint",
  TemporaryRedirect: "the bucket lies elsewhere: mend lake.region and lake.endpoint",
  IllegalLocationConstraintException: "the region is another: mend lake.region",
  NotImplemented: "it cannot do that: choose another store",
};

/** Why an object store refused a request, and what to do. */
export function refusalText({ status, text }: HttpAnswer): string {
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text.slice(0, 10_000))?.[1];
  const known = code === undefined ? undefined : advice[code];
  const name = code === undefined ? "" : ` ${code}`;
  return `answered ${status}${name}; ${known ?? "check lake.endpoint, lake.location and the rights of the key"}`;
}
