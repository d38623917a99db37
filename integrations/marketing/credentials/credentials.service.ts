import { givenSecret } from "../../../core/database/sealed.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { isSameDestination } from "../../../core/outbound/guard/destination.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";
import { prepared, request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { WebsiteCredential, type WebsiteCredentialRow } from "../models.ts";
import { MarketingWebsiteCredential, MarketingWebsiteCredentialWrite } from "./credential-schemas.ts";
import { credentialOf, lockedCredential, requireVisible } from "./stored-credential.ts";

/**
 * Normalises the address of a WordPress site: absolute, with its path, without a trailing slash. Looks up the host and rejects a non-public
 * one unless the operator allows it.
 * @throws 422 `fields.address`
 */
async function readSiteAddress(sent: string): Promise<string> {
  try {
    const url = readUrl("website", sent.trim());
    if (url.search !== "") throw invalid({ address: "errors.invalid_url" });
    await checkSaved("website", url.href);
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  } catch (error) {
    if (error instanceof OutboundRefused) throw invalid({ address: "errors.invalid_url" });
    throw error;
  }
}

/** Version of a credential that was never saved. */
const UNSAVED_VERSION = 0;

/** The response body, without the password. */
function shown(websiteId: string, row: WebsiteCredentialRow | undefined): JsonText {
  const body: Static<typeof MarketingWebsiteCredential> = {
    website_id: websiteId,
    configured: row !== undefined,
    address: row?.address ?? null,
    username: row?.username ?? null,
    updated_at: row?.updated_at ?? null,
  };
  return new JsonText(JSON.stringify(body), row?.version ?? UNSAVED_VERSION);
}

/** Stores the credential. The website's trail records the names of the changed fields, never a value. */
function store(
  websiteId: string,
  row: WebsiteCredentialRow | undefined,
  values: { address: string; username: string },
  password: string | undefined,
): void {
  if (row) {
    const changes = { ...differences(row, values), ...(password !== undefined && { password }) };
    if (Object.keys(changes).length === 0) return;
    queueUpdate(WebsiteCredential, row.id, changes);
    trail("website", websiteId, "marketing.credential_changed", { changed: Object.keys(changes).sort() });
    return;
  }
  if (password === undefined) throw invalid({ password: "errors.required" });
  // Of two concurrent first writes, the later one is retried and finds the earlier one's row.
  request().retryableConstraints.add("marketing_website_credentials_organisation_id_website_id_key");
  queueInsert(WebsiteCredential, { website_id: websiteId, ...values, password });
  trail("website", websiteId, "marketing.credential_added");
}

/** The credentials for reading the WordPress plugin of a website (marketing-ads §2.1). */
export default resource("marketing.credentials", {
  model: WebsiteCredential,
  actions: {
    get: action({
      rest: "GET /marketing/websites/:website_id/credential",
      summary: "Read the WordPress user for the plugin of a website",
      description: "The password is in no answer.",
      permission: "marketing.link.manage",
      returns: MarketingWebsiteCredential,
      async handler(ctx) {
        const { website_id: id } = ctx.params;
        await requireVisible(id);
        return shown(id, await credentialOf(id));
      },
    }),

    replace: action({
      rest: "PUT /marketing/websites/:website_id/credential",
      summary: "Store the WordPress user for the plugin of a website",
      description: "The site is not called; its name is only looked up. A password that is not sent stays.",
      permission: "marketing.link.manage",
      body: MarketingWebsiteCredentialWrite,
      returns: MarketingWebsiteCredential,
      errors: ["not_found"],
      prepare: (ctx) => readSiteAddress(ctx.params.body.address),
      async handler(ctx) {
        const { website_id: id, body } = ctx.params;
        await requireVisible(id);
        const row = await lockedCredential(id);
        requireMatch(row?.version ?? UNSAVED_VERSION);
        const values = { address: prepared<string>(), username: body.username.trim() };
        if (values.username === "") throw invalid({ username: "errors.required" });
        const password = givenSecret(body.password);
        // Do not send a stored password to a host, or as a user, that its owner did not enter it for.
        if (
          row &&
          password === undefined &&
          !(isSameDestination(row.address, values.address) && row.username === values.username)
        )
          throw invalid({ password: "errors.required" });
        store(id, row, values, password);
        return shown(id, await credentialOf(id));
      },
    }),

    remove: action({
      rest: "DELETE /marketing/websites/:website_id/credential",
      summary: "Delete the WordPress user for the plugin of a website",
      description: "Also succeeds if none is stored. Data already read stays.",
      permission: "marketing.link.manage",
      errors: ["not_found"],
      async handler(ctx) {
        const { website_id: id } = ctx.params;
        await requireVisible(id);
        const row = await lockedCredential(id);
        requireMatch(row?.version ?? UNSAVED_VERSION);
        if (!row) return;
        queueRemove(WebsiteCredential, row.id);
        trail("website", id, "marketing.credential_removed");
      },
    }),
  },
});
