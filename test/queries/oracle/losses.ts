import { numberIn } from "./hits.ts";
import { listFacts, type Fact } from "./record.ts";
import {
  dayMs,
  distinct,
  minuteMs,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Oracle,
  type Row,
} from "./rows.ts";
import { destructiveUses } from "./tables.ts";
import { keyOf, personOf } from "./taken-out.ts";

type Loss = {
  readonly fact: Fact;
  readonly time: number;
  readonly object: string;
  readonly by: string;
};

/** Deletions with which a person reaches many objects within minutes, far more than before. */
export const massDeletion: Oracle = (records, users, params) => {
  const reach = numberIn(params, "minutes", 60) * minuteMs;
  const byEvent = listFacts(records, users)
    .filter((f) => /delete|destroy/.test(f.canonical ?? "") && f.outcome === "succeeded")
    .map((fact, i): Loss => {
      const names = ["resource_id", "resource_name", "target_table"].map((name) => fact.text(name));
      const object = names.find((name) => name !== null) ?? fact.path ?? `event ${i}`;
      return { fact, time: fact.time, object: `${fact.canonical} ${object}`, by: fact.canonical! };
    });
  const always = { ...params, since: -Infinity, until: Infinity };
  const byText = destructiveUses(records, users, always)
    .filter(({ kind }) => ["drop", "truncate", "delete"].includes(kind))
    .map(({ job, kind, database, table }): Loss => {
      const object = `${job.objectId} ${database}.${table}`;
      return { fact: job.fact, time: job.time, object, by: kind };
    });
  const people = Map.groupBy([...byEvent, ...byText], ({ fact }) => personOf(fact));
  const rows = [...people.values()].flatMap((own) => {
    const lastMinutes = (time: number): Loss[] =>
      own.filter((loss) => loss.time <= time && time - loss.time <= reach);
    const countAt = (time: number): number => distinct(lastMinutes(time).map((l) => l.object));
    const numbers = new Map(own.map(({ fact }, i) => [fact, i]));
    return rowsBy(
      own.filter(({ time }) => within(params, time)),
      ({ fact }) => [numbers.get(fact)!],
      (group): Row | null => {
        const [{ fact, time }] = group;
        const start = time - reach;
        const earlier = own.filter(
          (l) => l.time < start && start - l.time <= numberIn(params, "days", 30) * dayMs,
        );
        const most = earlier.reduce((max, l) => Math.max(max, countAt(l.time)), 0);
        const deletions = countAt(time);
        const times = Math.max(1, Math.floor(deletions / Math.max(most, 1)));
        const isMany =
          deletions >= numberIn(params, "deletions", 20) && times >= numberIn(params, "times", 10);
        if (!isMany && !group.some(({ by }) => by === "entities_bulk_delete")) return null;
        return {
          event_time: stamp(time),
          actor: fact.actor,
          deed: isMany
            ? `deleted ${deletions} objects within an hour`
            : "ran a bulk deletion (entities_bulk_delete)",
          deletions,
          most_before: most,
          times_usual: times,
          first_at: isMany ? span(lastMinutes(time).map((l) => l.time)).first_at : stamp(time),
          deletion: group.map(({ by }) => by).sort()[0]!,
          ip_address: fact.ip,
          ...keyOf(fact),
        };
      },
    );
  });
  return sort(
    rows,
    "event_time actor deed deletions most_before times_usual first_at deletion ip_address user_id account",
  );
};
