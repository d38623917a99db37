import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { trail } from "../../../core/trail/trail.ts";
import { lockedConnection } from "../../../mixins/google/connection.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { exchangeCode, GrantRefused } from "../../../mixins/google/oauth-client.ts";
import { oauthClient } from "../../../mixins/google/oauth-settings.ts";
import { hasScope, SCOPE } from "../../../mixins/google/scopes.ts";
import { beginCalendar } from "../calendar/beginning.ts";
import { callbackAddress, grantedScopes } from "./consent.ts";
import type { ConsentState } from "./consent-state.ts";
import { endConnection } from "./disconnecting.ts";
import { endFormerGrant } from "./ended-grants.ts";
import { type GooglePerson, personIn } from "./id-token.ts";

/** A grant from the consent screen. */
export interface Grant {
  person: GooglePerson;
  clientId: string;
  accessToken: string;
  expiresAt: string;
  refreshToken: string | null;
  /** The scopes in the token answer; null if it lists none. */
  scopes: string[] | null;
}

/** Why a person is not connected after the consent screen. The message contains no secret. */
export class NotConnected extends Error {
  override name = "NotConnected";
}

/**
 * Redeems a code from the consent screen.
 * @param origin the origin of the requested host, which Google compares with the one that started the consent
 * @throws NotConnected
 */
export async function redeem(code: string, { clientId }: ConsentState, origin: string): Promise<Grant> {
  const client = await oauthClient();
  if (client?.id !== clientId) throw new NotConnected("the OAuth client has changed meanwhile");
  try {
    const tokens = await exchangeCode(client, code, callbackAddress(origin), request().organisation.id);
    const person = personIn(tokens.idToken, clientId, Date.now());
    if (!person) throw new NotConnected("the ID token names no person with an address");
    const { accessToken, expiresAt, refreshToken, scopes } = tokens;
    return { person, clientId, accessToken, expiresAt, refreshToken, scopes };
  } catch (error) {
    if (error instanceof GrantRefused || error instanceof GoogleFailure) throw new NotConnected(error.message);
    throw error;
  }
}

/** Whether a stored connection belongs to the same person and OAuth client, so its refresh token is still valid for the grant. */
const isSameGrant = (row: WorkspaceConnectionRow, { person, clientId }: Grant): boolean =>
  row.subject === person.subject && row.client_id === clientId;

/**
 * Stores a grant as the caller's connection, in the running transaction. Another Google account makes a new connection: the old one ends,
 * with its cached data and its grant. Another OAuth client continues the connection and ends the grant of the client before.
 * @returns null, or the error code if nothing is stored
 */
export async function storeGrant(grant: Grant, { scopes: asked }: ConsentState): Promise<string | null> {
  // Of two concurrent first connections, the later one is retried and finds the earlier one's row.
  request().retryableConstraints.add("workspace_connections_person");
  const before = await lockedConnection();
  const kept = before && isSameGrant(before, grant) ? before : undefined;
  if (grant.refreshToken === null && !kept) return "workspace_no_refresh_token";
  const scopes = grantedScopes(grant.scopes, before?.subject === grant.person.subject ? before.scopes : [], asked);
  const values = {
    subject: grant.person.subject,
    client_id: grant.clientId,
    email: grant.person.email,
    status: "active",
    scopes,
    access_token: grant.accessToken,
    access_expires_at: grant.expiresAt,
    refresh_holder: null,
    refresh_until: null,
    connected_at: new Date().toISOString(),
    error_since: null,
    last_error: null,
  } as const;
  const turnsOnMail = asked.includes(SCOPE.mail) && hasScope(scopes, SCOPE.mail);
  if (before?.subject === grant.person.subject) {
    if (before.client_id !== grant.clientId) endFormerGrant(before);
    queueUpdate(WorkspaceConnection, before.id, {
      ...values,
      ...(grant.refreshToken !== null && { refresh_token: grant.refreshToken }),
      ...(turnsOnMail && { mail_sync_enabled: true }),
    });
    trail("workspace_connection", before.id, "workspace.reconnected", { email: grant.person.email });
    beginCalendar(before.id);
    return null;
  }
  if (before) endConnection(before);
  const id = queueInsert(WorkspaceConnection, {
    ...values,
    account_id: request().principal?.accountId as string,
    refresh_token: grant.refreshToken as string,
    mail_sync_enabled: turnsOnMail,
  });
  trail("workspace_connection", id, "workspace.connected", { email: grant.person.email });
  beginCalendar(id);
  return null;
}
