import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { date, flag, optional, type Static, type TProperties, Type, text } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { AdsReport, AdsSnapshotRead } from "../report-schemas.ts";
import { READS } from "./declared/reads.ts";
import type { ReadDeclaration, ReadParameter } from "./read.ts";
import { answerOf, CALLING, findRows, openAccount, type ReadParameters } from "./reading.ts";
import { snapshotOf } from "./snapshot.ts";

/** Milliseconds for a read, including the retries of its calls. */
const TIMEOUT = 180_000;

const periodQuery = {
  period: optional(
    text(32, {
      description:
        "Days in the account's zone: `<n>d`, `week`, `month`, `quarter`, `ytd`, `last_week`, `last_month`, `last_quarter`, `last_year`, `yoy`, `2026-07`, `2026-Q3`; anything else is `30d`",
    }),
  ),
  date_from: optional({
    ...date(),
    description: "First day; overrides `period` together with `date_to`, and is ignored without it",
  }),
  date_to: optional({ ...date(), description: "Last day, included; of a longer period only the last 400 days are read" }),
} satisfies TProperties;

const QUERY: Readonly<Record<ReadParameter, TProperties>> = {
  period: periodQuery,
  campaigns: {
    campaigns: optional(
      Type.Array(text(255), {
        maxItems: 50,
        description: "Only campaigns with one of these texts in their name, case ignored",
      }),
    ),
  },
  include_removed: {
    include_removed: optional({ ...flag(false), description: "Whether removed rows are read too" }),
  },
  status: {
    status: optional(
      text(32, {
        description: "Only rows of this status, `ENABLED`, `PAUSED` or `REMOVED`, case ignored; any other value matches no row",
      }),
    ),
  },
  thresholds: {
    min_cost: optional(
      Type.Number({ minimum: 0, maximum: 1e12, description: "Only terms that cost at least this, in the account's currency" }),
    ),
    min_clicks: optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "Only terms with at least as many clicks" }),
    ),
  },
};

const pageQuery = ({ searched, takes }: ReadDeclaration) => ({
  ...(!takes.includes("status") && {
    status: optional(Type.String({ description: "Ignored: this read is not narrowed by a status" })),
  }),
  q: optional(
    text(200, { description: `Only rows with each of these words in ${searched.join(", ")}; case and accents ignored` }),
  ),
  limit: optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: "Most rows of the answer; without it all that match" }),
  ),
  offset: optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: "Rows to skip" })),
});

const readAction = (read: ReadDeclaration) =>
  action({
    rest: `GET /ads-platform/accounts/:account_id/${read.path}`,
    verb: "list",
    summary: read.summary,
    description: read.description,
    permission: "ads_platform.account.read",
    query: { ...Object.assign({}, ...read.takes.map((name) => QUERY[name])), ...pageQuery(read) } as TProperties,
    returns: AdsReport,
    errors: CALLING,
    timeout: TIMEOUT,
    async prepare(ctx) {
      const { account_id, ...parameters } = ctx.params as { account_id: string } & ReadParameters;
      const open = await openAccount(account_id, `${read.path}.read`, parameters);
      return answerOf(read, open, await findRows(read, open, parameters), parameters);
    },
    handler: async () => prepared<Static<typeof AdsReport>>(),
  });

/** Live figures of an advertising account from the provider (marketing-ads §3.5, §3.6). */
export default service("ads_platform.reads", {
  actions: {
    ...Object.fromEntries(Object.entries(READS).map(([name, read]) => [name, readAction(read)])),

    snapshot: action({
      rest: "GET /ads-platform/accounts/:account_id/snapshot",
      summary: "Read an account at a glance: its campaigns and their totals",
      description: "Live from the provider. The rows are all rows of `campaigns`.",
      permission: "ads_platform.account.read",
      query: periodQuery,
      returns: AdsSnapshotRead,
      errors: CALLING,
      timeout: TIMEOUT,
      prepare: async (ctx) => snapshotOf(await openAccount(ctx.params.account_id, "snapshot.read", ctx.params)),
      handler: async () => prepared<Static<typeof AdsSnapshotRead>>(),
    }),
  },
});
