import { runtime } from "../../core/config/runtime.ts";
import { queryOne, queryOutside } from "../../core/database/query.ts";
import { givenSecret } from "../../core/database/sealed.ts";
import { lock, queueInsert, queueRemove, queueUpdate, type Values } from "../../core/database/write.ts";
import { action } from "../../core/declare/action.ts";
import { refusal } from "../../core/errors/errors.ts";
import { requireMatch } from "../../core/http/etag.ts";
import { EmailSettings, type EmailSettingsRow } from "../../core/mail/email-settings.ts";
import { loadSender, type Sender } from "../../core/mail/mail-sender.ts";
import { requireUnrestricted } from "../../core/request/caller.ts";
import { prepared, request } from "../../core/request/context.ts";
import { JsonText } from "../../core/sql/json-text.ts";
import { statement } from "../../core/sql/statement.ts";
import { changesOf, trail } from "../../core/trail/trail.ts";
import { resource } from "../../mixins/resource.ts";
import { checkedSettings, isSameTransport, type StoredSettings } from "./settings-rules.ts";
import { EmailSettingsRead, EmailSettingsWrite, EmailTest, EmailTestResult } from "./settings-schemas.ts";
import { sendNow, type TestResult, testRecipient } from "./test-mail.ts";

const LAST_FAILURE = statement(`select kind, last_error as error, updated_at as failed_at from mails
  where organisation_id = $1 and status = 'failed' order by created_at desc limit 1`);

/** The settings response: the stored values, and the transport in effect now. Version 0 without a row. */
async function shown(): Promise<JsonText> {
  const [{ settings, hasSecret, transport, instanceAvailable }, failure] = await Promise.all([
    loadSender(),
    queryOne(LAST_FAILURE, [request().organisation.id]),
  ]);
  const active = transport?.owner === "instance" ? "instance" : (transport?.provider ?? null);
  const body = {
    ...Object.fromEntries(EmailSettings.tracked.map((name) => [name, (settings as Values | undefined)?.[name] ?? null])),
    has_secret: hasSecret,
    active_provider: active,
    instance_available: instanceAvailable,
    last_failure: failure ?? null,
  };
  return new JsonText(JSON.stringify(body), settings?.version ?? 0);
}

/** Locks the stored row and checks `If-Match`; version 0 without a row. */
async function stored(): Promise<{ sender: Sender; row: EmailSettingsRow | undefined }> {
  const sender = await loadSender();
  const row = sender.settings && (await lock(EmailSettings, sender.settings.id));
  requireMatch(row?.version ?? 0);
  return { sender, row };
}

/**
 * Stores changed values; writes nothing if none changed (conventions §11).
 * @param secret undefined keeps the stored one, null clears it
 */
function store(row: EmailSettingsRow | undefined, values: StoredSettings, secret: string | null | undefined): void {
  if (!row) {
    // Of two concurrent first writes, the later one reruns and finds the earlier one's row.
    request().retryableConstraints.add("email_settings_one");
    trail("email_settings", queueInsert(EmailSettings, { ...values, secret }), "created");
    return;
  }
  const had = row.secret !== null;
  const changes = changesOf(EmailSettings.tracked, row, values);
  if (typeof secret === "string" || (secret === null && had)) changes["has_secret"] = { from: had, to: secret !== null };
  if (Object.keys(changes).length === 0) return;
  const { id } = row;
  queueUpdate(EmailSettings, id, { ...values, secret });
  trail("email_settings", id, "updated", { changes });
}

export default resource("settings.email", {
  model: EmailSettings,
  actions: {
    get: action({
      rest: "GET /settings/email",
      summary: "Read how the organisation sends mail, and the effective transport",
      permission: "settings.email.manage",
      returns: EmailSettingsRead,
      handler: () => shown(),
    }),

    replace: action({
      rest: "PUT /settings/email",
      summary: "Set how the organisation sends mail",
      description:
        "Other omitted fields get their defaults. An omitted secret stays, unless the provider or the relay's host, port or security changes: the password of one server is never sent to another.",
      permission: "settings.email.manage",
      body: EmailSettingsWrite,
      example: {
        provider: "smtp",
        from_address: "administratie@bureau.example",
        from_name: "Bureau",
        host: "smtp.bureau.example",
        port: 587,
        security: "starttls",
        username: "bureau",
        secret: "correct horse battery staple",
      },
      returns: EmailSettingsRead,
      errors: ["conflict"],
      async handler(ctx) {
        // These settings decide where password reset links go (conventions §5).
        requireUnrestricted(ctx.meta.principal);
        const { secret, ...given } = ctx.params.body;
        const { sender, row } = await stored();
        const isSame = row !== undefined && isSameTransport(row, given);
        const replaced = givenSecret(secret) ?? (isSame ? undefined : null);
        const values = checkedSettings(
          given,
          replaced ? true : replaced === undefined && sender.hasSecret,
          runtime().config,
          replaced ?? "",
        );
        if (given.provider === "instance" && !sender.instanceAvailable)
          throw refusal("conflict", "errors.instance_email_unavailable");
        store(row, values, replaced);
        return shown();
      },
    }),

    remove: action({
      rest: "DELETE /settings/email",
      summary: "Delete the organisation's own way of sending mail",
      permission: "settings.email.manage",
      async handler(ctx) {
        requireUnrestricted(ctx.meta.principal);
        const { row } = await stored();
        if (!row) return;
        queueRemove(EmailSettings, row.id);
        trail("email_settings", row.id, "deleted");
      },
    }),

    test: action({
      rest: "POST /settings/email/test",
      summary: "Send a test mail now, to the caller or to the address named",
      description: "Every failure is an answer: `ok` false and the reason.",
      permission: "settings.email.manage",
      body: EmailTest,
      example: { to: "anna@example.com" },
      returns: EmailTestResult,
      status: 200,
      acts: "outside",
      async prepare(ctx): Promise<TestResult> {
        const to = await testRecipient(ctx.params.body.to);
        return sendNow(ctx, await loadSender(queryOutside), { kind: "test", locale: null, to });
      },
      handler: async () => prepared<TestResult>(),
    }),
  },
});
