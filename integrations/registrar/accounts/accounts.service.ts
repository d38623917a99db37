import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { givenSecret } from "../../../core/database/sealed.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import { list, readInstant } from "../../../core/schema/schema.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { accountName, requireAccountProvider } from "../../../mixins/account-fields.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { RegistrarAccount, type RegistrarAccountRow } from "../models.ts";
import { RegistrarFailure } from "../provider.ts";
import { findRegistrar } from "../providers.ts";
import { accountRead, accountsSince, hasCredentialOf, type Reached, requireReached, storedAccount } from "./account-rows.ts";
import {
  RegistrarAccountCreate,
  RegistrarAccountOption,
  RegistrarAccountRead,
  RegistrarAccountUpdate,
  RegistrarAccountVerifyResult,
  type VerifyResult,
} from "./account-schemas.ts";

const KIND = "registrar_account";
/** The state of an account after its password changed: unverified (assets §10.2). */
const UNVERIFIED = { status: "active", tlds: [], funds_available: null, last_verified_at: null, last_error: null } as const;

const accounts = rowsOf({
  model: RegistrarAccount,
  projection: projection({ model: RegistrarAccount, schema: RegistrarAccountOption }),
});

/** The result of verifying an account's credential, with that credential. */
interface Tried {
  used: Pick<RegistrarAccountRow, "api_user" | "api_password">;
  verified: VerifyResult;
  tlds: readonly string[];
}

/** Asks the registrar whether an account's credential works. */
async function tryCredential({ registrar, access }: Reached): Promise<Omit<Tried, "used">> {
  try {
    const { funds, tlds } = await registrar.verify(access);
    return { verified: { ok: true, funds_available: funds, tld_count: tlds.length, error: null }, tlds };
  } catch (error) {
    if (!(error instanceof RegistrarFailure)) throw error;
    return { verified: { ok: false, funds_available: null, tld_count: 0, error: error.message }, tlds: [] };
  }
}

/** The accounts of an organisation at registrars (assets §10.2). */
export default resource("registrar.accounts", {
  model: RegistrarAccount,
  actions: {
    list: action({
      rest: "GET /registrar/accounts",
      summary: "List the accounts at registrars",
      description: "Sorted by name, inactive ones included.",
      permission: "registrar.settings.manage",
      query: sinceQuery,
      returns: list(RegistrarAccountRead),
      handler: ({ params: { updated_since: since } }) => accountsSince(since === undefined ? null : readInstant(since)),
    }),

    create: action({
      rest: "POST /registrar/accounts",
      summary: "Add an account at a registrar",
      description: "The password is stored encrypted, and no answer contains it. Does not call the registrar.",
      permission: "registrar.settings.manage",
      body: RegistrarAccountCreate,
      example: { name: "Bureau", api_user: "bureau", api_password: "correct horse battery staple" },
      returns: RegistrarAccountRead,
      errors: ["conflict", "invalid_provider"],
      async handler(ctx) {
        const { adapter = "oxxa", name, ...values } = ctx.params.body;
        if (!findRegistrar(adapter)) throw invalid({ adapter: "errors.validation" });
        await requireAccountProvider(values.provider_id, "registrar");
        const id = queueInsert(RegistrarAccount, { adapter, ...values, name: accountName(name) });
        trail(KIND, id, "created");
        return accountRead(id);
      },
    }),

    update: action({
      rest: "PATCH /registrar/accounts/:account_id",
      summary: "Change an account, or replace its password",
      description: "Without a password the stored one stays. A new one counts as not verified.",
      permission: "registrar.settings.manage",
      body: RegistrarAccountUpdate,
      example: { active: false },
      returns: RegistrarAccountRead,
      errors: ["conflict", "invalid_provider"],
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { api_password, name, ...others } = ctx.params.body;
        const sent = { ...others, ...(name !== undefined && { name: accountName(name) }) };
        const before = await accounts.forWrite(id);
        await requireAccountProvider(sent.provider_id, "registrar");
        const password = givenSecret(api_password);
        const changed = {
          ...differences(before, sent),
          ...(password !== undefined && { api_password: password, ...UNVERIFIED }),
        };
        if (Object.keys(changed).length > 0) queueUpdate(RegistrarAccount, id, changed);
        const changes = changesOf(RegistrarAccount.tracked, before, sent);
        if (Object.keys(changes).length > 0) trail(KIND, id, "updated", { changes });
        if (password !== undefined) trail(KIND, id, "registrar.credential_rotated");
        return accountRead(id);
      },
    }),

    remove: action({
      rest: "DELETE /registrar/accounts/:account_id",
      summary: "Delete an account and what was read from it",
      description: "Changes nothing at the registrar. Domains of clients stay.",
      permission: "registrar.settings.manage",
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { name } = await accounts.forWrite(id);
        queueRemove(RegistrarAccount, id);
        trail(KIND, id, "registrar.account_removed", { name });
      },
    }),

    verify: action({
      rest: "POST /registrar/accounts/:account_id/verify",
      summary: "Ask the registrar whether the credential works",
      description: "Reads the account's funds and the extensions sold there. A refusal is an answer, in the registrar's words.",
      permission: "registrar.settings.manage",
      returns: RegistrarAccountVerifyResult,
      status: 200,
      errors: ["registrar_credential_unreadable"],
      async prepare(ctx): Promise<Tried> {
        const account = await storedAccount(ctx.params.account_id);
        return { used: account, ...(await tryCredential(requireReached(account))) };
      },
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { used, verified, tlds } = prepared<Tried>();
        const { ok, funds_available, error } = verified;
        // If the credential was replaced meanwhile, the result does not apply to the new one.
        if (!hasCredentialOf(await accounts.forWrite(id), used)) return verified;
        const last_verified_at = new Date().toISOString();
        if (ok)
          queueUpdate(RegistrarAccount, id, { status: "active", funds_available, tlds, last_verified_at, last_error: null });
        else queueUpdate(RegistrarAccount, id, { status: "error", last_error: error });
        return verified;
      },
    }),

    options: action({
      rest: "GET /registrar/accounts/options",
      summary: "The active accounts to choose from",
      permission: "registrar.registrar.sync",
      query: sinceQuery,
      returns: list(RegistrarAccountOption),
      async handler({ params: { updated_since: since } }) {
        const all = await accountsSince(since === undefined ? null : readInstant(since));
        return all.filter(({ active }) => active).map(({ id, name, active }) => ({ id, name, active }));
      },
    }),
  },
});
