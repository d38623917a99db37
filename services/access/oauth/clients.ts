import { queryOutside } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type ClientDocument, clientDocument, isDocumentAddress } from "./client-document.ts";

/** A client as a request names it. */
export interface Client {
  clientId: string;
  /** Its row; null for a document that nobody here has approved yet. */
  id: string | null;
  name: string;
  uri: string | null;
  redirectUris: readonly string[];
  isDocument: boolean;
  /** Only for a confidential client. */
  secretHash: Buffer | null;
}

/** A client that nobody approved counts as gone after a day, even before the cleanup job removes it. */
export const IS_THERE = `c.revoked_at is null and (c.approved_at is not null or c.created_at > now() - interval '24 hours')`;
const FIND = statement(`select c.id, c.is_document, c.name, c.client_uri, c.redirect_uris, c.secret_hash from oauth_clients c
  where c.organisation_id = $1 and c.client_id = $2 and ${IS_THERE}`);

interface Row {
  id: string;
  is_document: boolean;
  name: string;
  client_uri: string | null;
  redirect_uris: string[];
  secret_hash: Buffer | null;
}

/**
 * Finds a client by `client_id` in this organisation, or null. It may fetch a metadata document, so call it before the request has a
 * transaction.
 * @param anywhere whether to fetch a document that nobody here has approved: only while a person is present
 */
export async function findClient(clientId: string, { anywhere }: { anywhere: boolean }): Promise<Client | null> {
  const row = await queryOutside<Row>(FIND, [request().organisation.id, clientId]);
  if (row && !row.is_document)
    return {
      clientId,
      id: row.id,
      name: row.name,
      uri: row.client_uri,
      redirectUris: row.redirect_uris,
      isDocument: false,
      secretHash: row.secret_hash,
    };
  if (!isDocumentAddress(clientId) || (!row && !anywhere)) return null;
  const document = await clientDocument(clientId);
  return document && ofDocument(clientId, row?.id ?? null, document);
}

const ofDocument = (clientId: string, id: string | null, { name, uri, redirectUris }: ClientDocument): Client => ({
  clientId,
  id,
  name,
  uri,
  redirectUris,
  isDocument: true,
  secretHash: null,
});
