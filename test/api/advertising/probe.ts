import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { AdsFailure, refusing } from "../../../mixins/google-ads/failure.ts";
import { AdsAccount, type AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { mutateAds } from "../../../mixins/google-ads/mutate.ts";
import { adsAccess, askAds, searchAds } from "../../../mixins/google-ads/transport.ts";
import { service } from "../../../mixins/resource.ts";

const ONE = statement(`select ${columns(AdsAccount)} from ads_accounts where organisation_id = $1 and id = $2`);
const accessTo = async (id: string) => {
  const row = await queryOne<AdsAccountRow>(ONE, [request().organisation.id, id]);
  return adsAccess(row as AdsAccountRow);
};

/** The outcome of a call: its result, or our failure unchanged. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (!(error instanceof AdsFailure)) throw error;
      const { code, status, providerErrorCode, requestId, reason, retryDelay, isOutcomeUnknown, message, details } = error;
      return { code, status, providerErrorCode, requestId, reason, retryDelay, isOutcomeUnknown, message, details };
    },
  );

const body = Type.Object({
  account: Type.String({ format: "uuid", description: "Account." }),
  query: Type.Optional(Type.String({ description: "Query." })),
  path: Type.Optional(Type.String({ description: "Path." })),
  collection: Type.Optional(Type.String({ description: "Collection." })),
  operations: Type.Optional(Type.Array(Type.Unknown({ description: "Operation." }), { description: "Operations." })),
  validateOnly: Type.Optional(Type.Boolean({ description: "Only validates." })),
  partialFailure: Type.Optional(Type.Boolean({ description: "Partial failure." })),
});
type Asked = { account: string; query: string; path: string; collection: string; operations: object[] } & {
  validateOnly?: boolean;
  partialFailure?: boolean;
};

/** Endpoints that only call Google Ads with an account, for tests of how that is done. */
export const probe = service("probe", {
  actions: {
    search: action({
      rest: "POST /probe/search",
      summary: "Search",
      permission: "workspace.calendar.read",
      body,
      returns: Type.Unknown(),
      async prepare(ctx) {
        const { account, query } = ctx.params.body as unknown as Asked;
        const access = await accessTo(account);
        return outcome(searchAds(access, query, { operation: "probe" }));
      },
      handler: async () => prepared(),
    }),
    refused: action({
      rest: "POST /probe/refused",
      summary: "Search, and answer the refusal",
      permission: "workspace.calendar.read",
      body,
      returns: Type.Unknown(),
      async prepare(ctx) {
        const { account, query } = ctx.params.body as unknown as Asked;
        const access = await accessTo(account);
        return refusing(searchAds(access, query, { operation: "probe" }));
      },
      handler: async () => prepared(),
    }),
    ask: action({
      rest: "POST /probe/ask",
      summary: "Ask",
      permission: "workspace.calendar.read",
      body,
      returns: Type.Unknown(),
      async prepare(ctx) {
        const { account, path } = ctx.params.body as unknown as Asked;
        const access = await accessTo(account);
        return outcome(askAds(access, { path, operation: "probe" }));
      },
      handler: async () => prepared(),
    }),
    mutate: action({
      rest: "POST /probe/mutate",
      summary: "Mutate",
      permission: "workspace.calendar.read",
      body,
      returns: Type.Unknown(),
      acts: "outside",
      async prepare(ctx) {
        const { account, collection, ...mutation } = ctx.params.body as unknown as Asked;
        const access = await accessTo(account);
        return outcome(mutateAds(access, collection, mutation));
      },
      handler: async () => prepared(),
    }),
  },
});
