import { formatCount } from "../../terminal/amounts.ts";

type Why = { readonly why: string };
type OfTarget = { readonly target: string };

/** Sentences about deliveries, activations, destinations and the schedule. */
export const outgoingSentences = {
  findings_unsent: ({ target, why }: { readonly target: string; readonly why: string }) =>
    `new findings were not sent to ${target}: ${why}; the next run sends them`,

  // Deliveries and activations
  delivery_replaced: (
    facts: OfTarget & { readonly report: string; readonly started: string; readonly left: string },
  ) =>
    `${facts.report} to ${facts.target}: another delivery starts; remaining of the one started ${facts.started}: ${facts.left}`,
  activation_would_stop: ({ activation, why }: Why & { readonly activation: string }) =>
    `${activation} would stop: ${why}`,
  id_type_changed: (facts: {
    readonly id_key: string;
    readonly before: string;
    readonly now: string;
  }) =>
    `id_key ${facts.id_key} was of type ${facts.before} in the last run and is ${facts.now} now; ids of the same text count as the same`,
  class_unmapped: ({ status, rows }: { readonly status: string; readonly rows: number }) =>
    `${status}: its mapping is gone since the delivery began; ${formatCount(rows, "row")} of it did not go out`,
  class_moved: (facts: {
    readonly status: string;
    readonly activation: string;
    readonly places: string;
  }) =>
    `${facts.status}: goes to ${facts.places}; what the last runs delivered counts as delivered and is not sent there; activate reset ${facts.activation} sends all`,
  row_missed: (
    facts: Why & { readonly status: string; readonly id: string; readonly state: string },
  ) => `${facts.status} ${facts.id} ${facts.state}: ${facts.why}`,

  // Destinations
  batch_missed: (
    facts: Why &
      OfTarget & { readonly batch: number; readonly rows: number; readonly outcome: string },
  ) =>
    `${facts.target}: batch ${facts.batch} (${formatCount(facts.rows, "row")}) ${facts.outcome}: ${facts.why}`,
  batch_unanswered: ({ target }: OfTarget) =>
    `target ${target}: an earlier delivery handed a batch over and the answer was lost; if that batch is carried out after this delivery, its rows come back: look at the data extension later`,
  calls_many: (facts: OfTarget & { readonly rows: number; readonly rows_per_call: number }) =>
    `target ${facts.target}: ${formatCount(facts.rows, "row")} and more go out synchronously, ${facts.rows_per_call} a call; under that is advised, and async for a million or more (the account has to be enabled for it)`,
  rows_cleared: ({ target, what }: OfTarget & { readonly what: string }) =>
    `target ${target}: ${what}`,
  keys_repeated: ({ rows, such_as: suchAs }: { readonly rows: number; readonly such_as: string }) =>
    `${formatCount(rows, "row")} with a primary key that an earlier row of the result has, such as row ${suchAs}: only the last of each stays`,
  template_unchecked: ({ what, why }: Why & { readonly what: string }) => `${what}: ${why}`,
  recipients_skipped: ({
    rows,
    why,
    which,
  }: Why & { readonly rows: string; readonly which: string }) =>
    `skipped ${rows} with ${why}: ${which}`,
  message_refused: ({ target, who, why }: Why & OfTarget & { readonly who: string }) =>
    `${target}: ${who} gets no message: the service ${why}`,
  message_uncertain: ({ target, who, why }: Why & OfTarget & { readonly who: string }) =>
    `${target}: ${who} may have its message or not: ${why}; it is not sent again unless you say --resend-uncertain`,
  messages_unanswered: (facts: OfTarget & { readonly who: string; readonly is_resent: boolean }) =>
    `${facts.target}: an earlier attempt began to send and got no answer, so these may have their message: ${facts.who}; ${facts.is_resent ? "sent again now, perhaps for the second time" : "not sent again; --resend-uncertain does, perhaps for the second time"}`,
  addresses_refused: (facts: OfTarget & { readonly refused: number; readonly addresses: number }) =>
    `${facts.target}: the mail server refused ${facts.refused} of ${facts.addresses} addresses; the others got the message`,

  // Schedule
  notice_uncertain: ({ targets, why }: Why & { readonly targets: readonly string[] }) =>
    `${targets.join(", ")} may not have heard of what happened: ${why}; the notice is kept, and sent again`,
  job_misconfigured: ({ why }: Why) => why,
  timer_incomplete: ({ why }: Why) => why,
  configuration_unread: ({ why }: Why) =>
    `the configuration has changed and is not taken up: ${why}`,
} as const;
