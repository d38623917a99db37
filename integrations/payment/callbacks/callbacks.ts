import { columns } from "../../../core/database/model.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import type { UntenantedCall } from "../../../core/declare/makers/untenanted.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../../../core/organisation/organisation.ts";
import { statement } from "../../../core/sql/statement.ts";
import { asSystem, inOrganisation } from "../in-organisation.ts";
import { PaymentAccount, type PaymentAccountRow } from "../models.ts";
import type { PaymentCallback } from "../provider.ts";
import { findPaymentProvider } from "../providers.ts";
import { refetch } from "../refetch.ts";
import { isSecret, readCallbackToken } from "./callback-token.ts";

/** The whole answer to a provider. */
export type CallbackStatus = 200 | 404 | 503;

/** Maximum payments to ask the provider about per callback. */
const MOST_ASKED = 10;

const ORGANISATION = statement(`select ${columns(OrganisationModel)} from organisations where id = $1 and status = 'active'`);
const ACCOUNT = statement(`select ${columns(PaymentAccount)} from payment_accounts
  where organisation_id = $1 and id = $2 and provider = $3 and exists (select from organisations where id = $1 and status = 'active')`);
/** Least recently synced attempts first, so that a repeated callback reaches the others. */
const ATTEMPTS = statement(`select id from payment_intents
  where organisation_id = $1 and provider = $2 and external_id = any($3::text[])
  order by synced_at nulls first, id limit ${MOST_ASKED + 1}`);

/**
 * Handles a provider's callback: checks the address (money §11, in its order), then asks the provider about the attempts whose ids are in
 * the body; the rest of the body is ignored. A wrong address costs at most one statement, and none if it is malformed. Answers 503 when a
 * limit of this service leaves work (body too large, too many payments, provider calls not allowed now), so that the provider calls again.
 */
export async function calledBack({ parameters, headers, body }: UntenantedCall): Promise<CallbackStatus> {
  const token = readCallbackToken(parameters["token"] ?? "");
  const provider = findPaymentProvider(parameters["provider"] ?? "");
  if (!token || !provider) return 404;
  // Only the organisation's id is known so far, and only the id scopes the read.
  const unknown = asSystem({ id: token.organisationId } as Organisation);
  const account = await inOrganisation(unknown, "read", () =>
    queryOne<PaymentAccountRow>(ACCOUNT, [token.organisationId, token.accountId, provider.key]),
  );
  if (!account) return 404;
  const secret = unsealed(PaymentAccount, account, "webhook_secret");
  if (secret === null) return 503;
  if (!isSecret(token.secret, secret)) return 404;
  // A body over the size limit is not read, so its signature and ids are unknown.
  if (body === null) return 503;
  const apiKey = unsealed(PaymentAccount, account, "api_key");
  const callback: PaymentCallback = { headers, body: Buffer.from(body, "base64") };
  if (provider.isSigned && apiKey !== null && !provider.isSigned(callback, apiKey)) return 404;
  if (apiKey === null) return 503;
  const ids = provider.idsIn(callback);
  if (ids.length === 0) return 200;
  const [organisations, attempts] = await inOrganisation(unknown, "read", () =>
    queryAll([ORGANISATION, [token.organisationId]], [ATTEMPTS, [token.organisationId, provider.key, ids]]),
  );
  const [row] = organisations as OrganisationRow[];
  // The organisation was just suspended; the provider calls again and gets the usual answer for a suspended one.
  if (!row) return 503;
  const behalf = asSystem(organisationOf(row));
  const asked = attempts as { id: string }[];
  let isWhole = asked.length <= MOST_ASKED;
  for (const { id } of asked.slice(0, MOST_ASKED)) if ((await refetch(behalf, id)) === "not asked") isWhole = false;
  return isWhole ? 200 : 503;
}
