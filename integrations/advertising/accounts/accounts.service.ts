import { isZone } from "../../../core/calendar/zones.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import type { UpdateOf } from "../../../core/database/model.ts";
import { differences, lock, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { prepared } from "../../../core/request/context.ts";
import { flag, list, optional, type Static, uuid } from "../../../core/schema/schema.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { connectionOf } from "../../../mixins/google/connection.ts";
import { refusing } from "../../../mixins/google-ads/failure.ts";
import { AdsAccount, type AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { resource } from "../../../mixins/resource.ts";
import { visibleAccount } from "../visible-account.ts";
import { accounts } from "./account-rows.ts";
import { AdsAccountCreate, AdsAccountRead, AdsAccountUpdate, AdsPickerRead } from "./account-schemas.ts";
import {
  attachAccount,
  backfillSoon,
  lockedByCustomer,
  REOPENED,
  reportAttached,
  reportDetached,
  requireClient,
} from "./account-writes.ts";
import { readCustomerId, readOptionalId } from "./customer-id.ts";
import { attachedByMarketing } from "./following-marketing.ts";
import { availableAccounts } from "./picking.ts";
import { verified } from "./verifying.ts";

/** Errors of every call to the provider. */
const CALLING = [
  "ads_platform_api_version",
  "ads_platform_auth",
  "ads_platform_developer_token",
  "ads_platform_error",
  "ads_platform_not_configured",
  "ads_platform_permission",
  "ads_platform_query",
  "ads_platform_quota",
  "ads_platform_request",
  "ads_platform_token_unreadable",
  "ads_platform_unreachable",
] as const;

/** Normalises a currency code. @throws 422 */
function readCurrency(typed: string | null | undefined): string | null {
  const code = typed?.trim().toUpperCase() ?? "";
  if (code === "") return null;
  if (!/^[A-Z]{3}$/.test(code)) throw invalid({ currency_code: "errors.invalid_value" });
  return code;
}

/** Validates a time zone. @throws 422 */
function readZone(typed: string | null | undefined): string | null {
  const zone = typed?.trim() ?? "";
  if (zone === "") return null;
  if (!isZone(zone)) throw invalid({ time_zone: "errors.invalid_value" });
  return zone;
}

/** Changes an account and records the change in its trail, in the running transaction. */
function change(before: AdsAccountRow, values: UpdateOf<typeof AdsAccount>): void {
  const changed = differences(before, values);
  if (!changed) return;
  reportDetached(before, changed);
  queueUpdate(AdsAccount, before.id, changed);
  const changes = changesOf(AdsAccount.tracked, before, changed);
  if (Object.keys(changes).length > 0) trail("ads_account", before.id, "updated", { changes });
}

/** Advertising accounts of clients (marketing-ads §3.2). */
export default resource("ads-platform.accounts", {
  model: AdsAccount,
  subscribe: { "marketing.link.attached": attachedByMarketing },
  actions: {
    list: action({
      rest: "GET /ads-platform/accounts",
      summary: "List advertising accounts",
      description: "Sorted by name and id, unlinked accounts included. Does not call the provider.",
      permission: "ads_platform.account.read",
      query: {
        company_id: optional({ ...uuid(), description: "Only the accounts of this client" }),
        active_only: optional({ ...flag(false), description: "True leaves out the accounts that were unlinked" }),
        ...sinceQuery,
      },
      returns: list(AdsAccountRead),
      handler: ({ params: { company_id, active_only, updated_since } }) =>
        accounts.all({ company_id, active: active_only ? true : undefined, updated_since }),
    }),

    available: action({
      rest: "GET /ads-platform/accounts/available",
      summary: "List the accounts that your own grant reaches",
      description:
        "Managers are expanded into the accounts below them and are not offered themselves. Accounts that the provider refuses are left out.",
      permission: "ads_platform.settings.manage",
      returns: AdsPickerRead,
      errors: CALLING,
      prepare: () => refusing(availableAccounts()),
      handler: async () => prepared<Static<typeof AdsPickerRead>>(),
    }),

    create: action({
      rest: "POST /ads-platform/accounts",
      summary: "Link an advertising account",
      description:
        "An account that is or was linked keeps its row: it is linked again and gets the values sent. Calls to it use your own connection. A job reads the past 800 days in the background.",
      permission: "ads_platform.settings.manage",
      body: AdsAccountCreate,
      returns: AdsAccountRead,
      errors: ["not_found", "validation errors.ads_platform_customer_id_invalid"],
      async handler(ctx) {
        const { body } = ctx.params;
        const customerId = readCustomerId(body.customer_id, "customer_id");
        const values = {
          company_id: body.company_id ?? null,
          login_customer_id: readOptionalId(body.login_customer_id ?? null, "login_customer_id"),
          descriptive_name: body.descriptive_name?.trim() || null,
          currency_code: readCurrency(body.currency_code),
          time_zone: readZone(body.time_zone),
          connection_id: (await connectionOf())?.id ?? null,
        };
        if (values.company_id !== null) await requireClient(values.company_id);
        const existing = await lockedByCustomer(customerId);
        const id = attachAccount(customerId, existing, values);
        const company = values.company_id ?? existing?.company_id ?? null;
        if (company !== null)
          reportAttached(id, company, {
            customer_id: customerId,
            descriptive_name: values.descriptive_name ?? existing?.descriptive_name ?? customerId,
            currency_code: values.currency_code ?? existing?.currency_code ?? null,
            login_customer_id: values.login_customer_id ?? existing?.login_customer_id ?? null,
            connection_id: values.connection_id ?? existing?.connection_id ?? null,
          });
        return accounts.answerWith(id);
      },
    }),

    get: action({
      rest: "GET /ads-platform/accounts/:account_id",
      summary: "Read one advertising account",
      permission: "ads_platform.account.read",
      returns: AdsAccountRead,
      handler: (ctx) => accounts.one(ctx.params.account_id),
    }),

    update: action({
      rest: "PATCH /ads-platform/accounts/:account_id",
      summary: "Move an account to another client or manager, unlink it or link it again",
      description: "A client that loses the account no longer sees its figures; marketing deactivates the client's link to it.",
      permission: "ads_platform.settings.manage",
      body: AdsAccountUpdate,
      returns: AdsAccountRead,
      errors: ["not_found", "validation errors.ads_platform_customer_id_invalid"],
      async handler(ctx) {
        const { account_id: id, body } = ctx.params;
        const before = await accounts.forWrite(id);
        if (body.company_id) await requireClient(body.company_id);
        const isReopened = body.active === true && !before.active;
        const values = {
          ...(body.company_id !== undefined && { company_id: body.company_id }),
          ...(body.login_customer_id !== undefined && {
            login_customer_id: readOptionalId(body.login_customer_id, "login_customer_id"),
          }),
          ...(body.active !== undefined && { active: body.active }),
          ...(isReopened && REOPENED),
        };
        change(before, values);
        if (isReopened) backfillSoon(id);
        const after = { ...before, ...values };
        // A client that already has the account was reported before.
        const isNews = isReopened || after.company_id !== before.company_id;
        if (after.active && after.company_id !== null && isNews) reportAttached(id, after.company_id, after);
        return accounts.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /ads-platform/accounts/:account_id",
      summary: "Unlink an advertising account; its row and figures stay",
      description:
        "Changes nothing at the provider. Marketing deactivates the client's link to it. An account that is linked again stays the same record.",
      permission: "ads_platform.settings.manage",
      async handler(ctx) {
        change(await accounts.forWrite(ctx.params.account_id), { active: false });
      },
    }),

    verify: action({
      rest: "POST /ads-platform/accounts/:account_id/verify",
      summary: "Read an account at the provider and store the result",
      description: "Always 200: why it failed is in `last_error`, with `status` `error`.",
      permission: "ads_platform.settings.manage",
      returns: AdsAccountRead,
      status: 200,
      conditional: true,
      async prepare(ctx): Promise<UpdateOf<typeof AdsAccount>> {
        const account = await visibleAccount(ctx.params.account_id);
        requireMatch(account.version);
        return verified(account);
      },
      async handler(ctx) {
        const id = ctx.params.account_id;
        const before = await lock(AdsAccount, id);
        if (!before) throw notFound();
        change(before, prepared<UpdateOf<typeof AdsAccount>>());
        return accounts.answerWith(id);
      },
    }),
  },
});
