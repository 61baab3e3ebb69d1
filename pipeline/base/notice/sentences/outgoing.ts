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
    `${facts.report} to ${facts.target}: a new delivery starts; unsent rows of the one started ${facts.started}: ${facts.left}`,
  activation_would_stop: ({ activation, why }: Why & { readonly activation: string }) =>
    `${activation} would stop: ${why}`,
  id_type_changed: (facts: {
    readonly id_key: string;
    readonly before: string;
    readonly now: string;
  }) =>
    `id_key ${facts.id_key} was of type ${facts.before} in the last run and is ${facts.now} now; ids with equal text count as equal`,
  class_unmapped: ({ status, rows }: { readonly status: string; readonly rows: number }) =>
    `${status}: its mapping was removed after the delivery started; ${formatCount(rows, "row")} of it were not sent`,
  class_moved: (facts: {
    readonly status: string;
    readonly activation: string;
    readonly places: string;
  }) =>
    `${facts.status}: now goes to ${facts.places}; rows that previous runs delivered are not sent there; activate reset ${facts.activation} sends all rows`,
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
    `target ${target}: the outcome of a batch of an earlier delivery is unknown; if the service processes it after this delivery, its rows reappear: check the data extension later`,
  calls_many: (facts: OfTarget & { readonly rows: number; readonly rows_per_call: number }) =>
    `target ${facts.target}: ${formatCount(facts.rows, "row")} or more are sent synchronously, ${facts.rows_per_call} per call; fewer are recommended, and async for a million or more (the account must be enabled for it)`,
  rows_cleared: ({ target, what }: OfTarget & { readonly what: string }) =>
    `target ${target}: ${what}`,
  keys_repeated: ({ rows, such_as: suchAs }: { readonly rows: number; readonly such_as: string }) =>
    `${formatCount(rows, "row")} repeat the primary key of an earlier row, such as row ${suchAs}: only the last of each is stored`,
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
    `${target}: ${who} may have received its message: ${why}; auditlake does not resend it without --resend-uncertain`,
  messages_unanswered: (facts: OfTarget & { readonly who: string; readonly is_resent: boolean }) =>
    `${facts.target}: an earlier attempt received no answer, so these may have received their message: ${facts.who}; ${facts.is_resent ? "resent now, possibly a second time" : "not resent; --resend-uncertain resends it, possibly a second time"}`,
  addresses_refused: (facts: OfTarget & { readonly refused: number; readonly addresses: number }) =>
    `${facts.target}: the mail server refused ${facts.refused} of ${facts.addresses} addresses; the others received the message`,

  // Schedule
  notice_uncertain: ({ targets, why }: Why & { readonly targets: readonly string[] }) =>
    `${targets.join(", ")} may not have received a notification: ${why}; it is retained and sent again`,
  job_misconfigured: ({ why }: Why) => why,
  timer_incomplete: ({ why }: Why) => why,
  configuration_unread: ({ why }: Why) => `the changed configuration is not applied: ${why}`,
} as const;
