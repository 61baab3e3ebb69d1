import type { DuckDBConnection } from "@duckdb/node-api";
import type { Question } from "../../base/sql/question.ts";
import type { Report } from "../report/find.ts";
import { listedNames } from "../report/listed-names.ts";
import { idOf } from "../access/named.ts";

const kinds = ["user", "policy", "database"] as const;

/** The question with ids in place of names: reports of rights are asked by id, also where a former name was given. */
export async function withIds(
  connection: DuckDBConnection,
  { family }: Report,
  question: Question,
  source: string | undefined,
): Promise<Question> {
  if (family !== "access") return question;
  const values = { ...question.values };
  for (const kind of kinds) {
    const given = values[kind]?.value;
    if (typeof given !== "string") continue;
    const ids: string[] = [];
    // Of users there may be a list.
    for (const name of kind === "user" ? listedNames(given) : [given])
      ids.push(await idOf(connection, kind, name, source));
    values[kind] = { ...values[kind]!, value: ids.join(",") };
  }
  return { ...question, values };
}
