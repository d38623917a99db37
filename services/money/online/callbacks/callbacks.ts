import { columns } from "../../../../core/database/model.ts";
import { queryAll, queryOne } from "../../../../core/database/query.ts";
import { unsealed } from "../../../../core/database/sealed.ts";
import { statement } from "../../../../core/database/statement.ts";
import type { UntenantedCall } from "../../../../core/declare/action.ts";
import type { Organisation } from "../../../../core/request/context.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../../../../core/request/organisation.ts";
import type { PaymentCallback } from "../../../../integrations/payment/provider.ts";
import { findPaymentProvider } from "../../../../integrations/payment/providers.ts";
import { asSystem, inOrganisation } from "../in-organisation.ts";
import { PaymentAccount, type PaymentAccountRow } from "../models.ts";
import { refetch } from "../refetch.ts";
import { isSecret, readCallbackToken } from "./callback-token.ts";

/** All a provider is told. */
export type CallbackStatus = 200 | 404 | 503;

/** Most payments that the provider is asked about in one callback. */
const MOST_ASKED = 10;

const ORGANISATION = statement(`select ${columns(OrganisationModel)} from organisations where id = $1 and status = 'active'`);
const ACCOUNT = statement(`select ${columns(PaymentAccount)} from payment_accounts
  where organisation_id = $1 and id = $2 and provider = $3 and exists (select from organisations where id = $1 and status = 'active')`);
/** Those that nothing was heard of for longest come first: a callback that is repeated gets on to the others. */
const ATTEMPTS = statement(`select id from payment_intents
  where organisation_id = $1 and provider = $2 and external_id = any($3::text[])
  order by synced_at nulls first, id limit ${MOST_ASKED + 1}`);

/**
 * A callback of a provider: after all checks of the address (money §11, in its order) the ids in the body, and nothing else of it, say which
 * attempts the provider is asked about. A wrong address costs one statement at most, and none where that can be seen without. What a limit
 * of this service leaves unasked (a body that is too large, too many payments, a provider that may not be called now) is 503: the provider
 * calls again.
 */
export async function calledBack({ parameters, headers, body }: UntenantedCall): Promise<CallbackStatus> {
  const token = readCallbackToken(parameters["token"] ?? "");
  const provider = findPaymentProvider(parameters["provider"] ?? "");
  if (!token || !provider) return 404;
  // Of the organisation only the id is known so far, and only the id binds the read.
  const unknown = asSystem({ id: token.organisationId } as Organisation);
  const account = await inOrganisation(unknown, "read", () =>
    queryOne<PaymentAccountRow>(ACCOUNT, [token.organisationId, token.accountId, provider.key]),
  );
  if (!account) return 404;
  const secret = unsealed(PaymentAccount, account, "webhook_secret");
  if (secret === null) return 503;
  if (!isSecret(token.secret, secret)) return 404;
  // Neither its signature nor its ids can be read.
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
  // It was suspended just now; the provider calls again, and meets what every suspended one answers.
  if (!row) return 503;
  const behalf = asSystem(organisationOf(row));
  const asked = attempts as { id: string }[];
  let isWhole = asked.length <= MOST_ASKED;
  for (const { id } of asked.slice(0, MOST_ASKED)) if ((await refetch(behalf, id)) === "not asked") isWhole = false;
  return isWhole ? 200 : 503;
}
